import { recordGate } from '../../core/land/decide-landing.ts';
import { withNetworkHint } from '../../core/land/missing-network.ts';
import { recordFlaky, shareProofs } from '../../core/run/decide-start.ts';
import { wholeEvidence } from '../../core/run/evidence-output.ts';
import { proofKey } from '../../core/run/state.ts';
import { type CommandGateSpec, candidateGates, isSatisfied } from '../../gates/gate-kinds.ts';
import { candidateFlag } from '../../risks/candidate-risks.ts';
import type { Evidence } from '../../schema/gate.ts';
import type { TaskKey } from '../../schema/ids.ts';
import { projectStream } from '../../schema/ids.ts';
import type { RiskFlag } from '../../schema/risk.ts';
import { crashpoint } from '../../world.ts';
import { isNetworkContained } from '../attempt/containment.ts';
import { runGate } from '../hosts/executor.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { outputReader } from '../loop/ledger.ts';
import { evidenceWithoutRun, type SelectedCheck, selectCheck } from './affected-check.ts';
import type { Candidate, Overlay } from './check-request.ts';
import {
  checkBaseline,
  comparedWithBase,
  comparedWithMerge,
  judgeBaseTests,
  listNames,
  onBaseOf,
  storeTests,
} from './compare-with-base.ts';
import { evidenceOf, withoutSecrets } from './evidence.ts';
import { measureCandidate } from './measure-check.ts';
import { throwIfStopped } from './perform-check.ts';
import { rerunsOf, settleFailure, withTolerated } from './rerun-check.ts';

/** The result of all checks of a candidate; `held`: they passed, and a person must review their findings. */
export type Proof =
  | { verdict: 'pass' }
  | { verdict: 'held'; reason: string }
  | { verdict: 'fail' | 'error'; evidence: Evidence };

type ObservedCheck = SelectedCheck & { onFirstFailure?: ((evidence: Evidence) => Promise<void>) | undefined };

/** Runs the checks on a candidate in clean checkouts until one fails; what is already proven is not run again. */
export async function checkCandidate(
  ctx: EngineContext,
  run: ActiveRun,
  candidate: Candidate,
  gates: readonly CommandGateSpec[],
): Promise<Proof> {
  const flags: RiskFlag[] = [];
  const { commit, tasks } = candidate;
  const shared = ctx.hosts?.exchange.share(ctx, run, { tasks, commits: [commit] });
  // Safe: it is awaited before anything that names the commit is recorded.
  shared?.catch(() => {});
  for (const gate of gates) {
    const evidence = await checkWith(ctx, run, candidate, gate);
    throwIfStopped(ctx, run);
    await shared;
    const flaky = recordFlaky(run.id, evidence);
    // What passed before the base moves is known to the runs that start there.
    const proofs = candidate.onto === undefined ? [] : shareProofs([evidence]);
    const events = [...flaky, ...proofs];
    const also = events.length === 0 ? [] : [{ stream: projectStream(run.project.id), expected: -1, events }];
    await ctx.submit(run, () => recordGate(candidate.tasks, candidate.commit, evidence), { also }).committed;
    crashpoint('gate.recorded');
    flags.push(...(evidence.flags ?? []).filter(({ blocking }) => blocking));
    if (isSatisfied(evidence.verdict)) continue;
    return { verdict: evidence.verdict === 'error' ? 'error' : 'fail', evidence };
  }
  await shared;
  return flags.length === 0
    ? { verdict: 'pass' }
    : { verdict: 'held', reason: flags.map(({ detail }) => detail).join('; ') };
}

/** The evidence of one gate for a tree: known, or from a new run. `onFirstFailure` gets a failure before it is repeated. */
export async function checkWith(
  ctx: EngineContext,
  run: ActiveRun,
  candidate: Candidate,
  gate: CommandGateSpec,
  onFirstFailure?: (evidence: Evidence) => Promise<void>,
): Promise<Evidence> {
  if (gate.measure !== undefined) return measureCandidate(ctx, run, candidate, { ...gate, measure: gate.measure });
  const selected = { ...(await selectCheck(run, candidate, gate)), onFirstFailure };
  const definition = ctx.implementations.definition(selected.gate, run.ledger.state.start.config);
  const known = run.ledger.state.proven[proofKey({ tree: candidate.tree, definition })];
  if (known === undefined) return runSelected(ctx, run, candidate, selected);
  return { ...wholeEvidence(known, outputReader(ctx.store, run.id)), reused: true };
}

/** The evidence of one gate for a tree, always from a new run. */
export async function rerunGate(
  ctx: EngineContext,
  run: ActiveRun,
  candidate: Candidate,
  gate: CommandGateSpec,
): Promise<Evidence> {
  return runSelected(ctx, run, candidate, await selectCheck(run, candidate, gate));
}

async function runSelected(
  ctx: EngineContext,
  run: ActiveRun,
  candidate: Candidate,
  { gate, evidence: known, isCompared = false, onFirstFailure }: ObservedCheck,
): Promise<Evidence> {
  const definition = ctx.implementations.definition(gate, run.ledger.state.start.config);
  if (isCompared) await checkBaseline(ctx, run, gate, run.ledger.state.tip.commit);
  const bound = { tree: candidate.tree, definition };
  if (known !== undefined) return evidenceWithoutRun(run, { gate, evidence: known }, bound);
  const isNetworkOwn = await isNetworkContained(ctx, run);
  const runOnce = async (isFresh: boolean) => {
    const result = await runGate(ctx, run, candidate, { gate, isFresh });
    const found = withTolerated(run, gate, isNetworkOwn ? withNetworkHint(result) : result);
    throwIfStopped(ctx, run);
    return found;
  };
  const first = await runOnce(false);
  if (first.verdict === 'fail') await onFirstFailure?.(evidenceOf(gate, withoutSecrets(first, run.redact), bound));
  const rerun = { gate, commit: candidate.commit, definition, first, again: () => runOnce(true) };
  const { result, earlier, flags } =
    first.verdict === 'fail'
      ? await settleFailure(ctx, run, rerun)
      : { result: first, earlier: [], flags: knownRed(run, first) };
  const evidence = evidenceOf(gate, withoutSecrets(result, run.redact), bound);
  const tests = await storeTests(ctx, result, run.redact);
  const onBase = isCompared ? onBaseOf(run, evidence) : undefined;
  const withTests = {
    ...evidence,
    ...(onBase === undefined ? {} : { onBase }),
    ...(evidence.verdict === 'fail' && onBase?.verdict === 'fail'
      ? { summary: `${evidence.summary}; the same command fails on the base too` }
      : {}),
    ...(tests === undefined ? {} : { tests }),
    ...(earlier.length === 0 ? {} : { reruns: rerunsOf(earlier.map((each) => withoutSecrets(each, run.redact))) }),
    ...(flags.length === 0 ? {} : { flags }),
  };
  const { onto } = candidate;
  if (onto !== undefined) {
    return comparedWithMerge(ctx, run, withTests, { gate, onto, isApproved: candidate.isApproved === true });
  }
  if (candidate.tasks.length === 0) return withTests;
  const isApprovedWork = candidate.tasks.every((key) => isApproved(run, key));
  return comparedWithBase(ctx, run, withTests, { commit: candidate.commit, isApproved: isApprovedWork });
}

/** Whether a person approved that the work of a task lands. */
export function isApproved(run: ActiveRun, key: TaskKey): boolean {
  const phase = run.ledger.state.tasks[key]?.phase;
  return phase?.status === 'landing' && phase.approved;
}

function knownRed(run: ActiveRun, { tolerated = [] }: { tolerated?: string[] }): RiskFlag[] {
  if (tolerated.length === 0) return [];
  return candidateFlag(
    'known-red',
    `tests fail that may fail: ${listNames(tolerated)}`,
    run.ledger.state.start.config.risks,
  );
}

/** The first check that fails with these files as they are on the branch, absent ones removed: this detects weakened tests, and added ones that change what others find. */
export async function passesWith(
  ctx: EngineContext,
  run: ActiveRun,
  candidate: Candidate,
  overlay: Overlay,
): Promise<Evidence | undefined> {
  for (const { gate, withBase } of await selectedChecks(run, candidate)) {
    const definition = ctx.implementations.definition(gate, run.ledger.state.start.config);
    const what = { gate: withBase(overlay.paths), overlay };
    const result = withTolerated(run, gate, await runGate(ctx, run, candidate, what));
    throwIfStopped(ctx, run);
    const evidence = evidenceOf(gate, withoutSecrets(result, run.redact), { tree: candidate.tree, definition });
    const tests = await storeTests(ctx, result, run.redact);
    const judged = judgeBaseTests(ctx, run, { ...evidence, ...(tests === undefined ? {} : { tests }) });
    if (judged.verdict !== 'pass') return judged;
  }
  return undefined;
}

/** The checks of a candidate that run on it, with their commands for it. */
export async function selectedChecks(run: ActiveRun, candidate: Candidate): Promise<SelectedCheck[]> {
  const gates = commandGates(run, candidate.tasks);
  const selected = await Promise.all(gates.map((gate) => selectCheck(run, candidate, gate)));
  return selected.filter(({ evidence }) => evidence === undefined);
}

/** The command gates of these tasks that decide, each once. */
export function commandGates(run: ActiveRun, tasks: readonly TaskKey[]): CommandGateSpec[] {
  return eachOnce(tasks.flatMap((key) => candidateGates(run.ledger.state.tasks[key]?.spec.gates ?? [])));
}

/** Gates that several tasks have, once. */
export function eachOnce(gates: readonly CommandGateSpec[]): CommandGateSpec[] {
  return [...new Map(gates.map((gate) => [JSON.stringify(gate), gate])).values()];
}
