import { recordGate } from '../../core/land/decide-landing.ts';
import { wholeEvidence } from '../../core/run/evidence-output.ts';
import type { TaskState } from '../../core/run/state.ts';
import type { GateResult } from '../../gates/gate.ts';
import type { CommandGateSpec } from '../../gates/gate-kinds.ts';
import { addedTests, testTitle } from '../../gates/test-results/compare-tests.ts';
import { selectTests } from '../../gates/test-results/select-tests.ts';
import { showFile } from '../../git/read/diff.ts';
import { candidateFlag } from '../../risks/candidate-risks.ts';
import { promptText } from '../../roles/prompt.ts';
import type { Evidence } from '../../schema/gate.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { RiskFlag } from '../../schema/risk.ts';
import { runGate } from '../hosts/executor.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { outputReader } from '../loop/ledger.ts';
import { commandGates, type Proof, passesWith, selectedChecks } from './check-candidate.ts';
import type { Candidate } from './check-request.ts';
import { baselineOf, listNames, loadTests } from './compare-with-base.ts';

/** The result of a candidate; `unproven`: its checks passed, and as a fix it lacks a test that shows the defect. */
export type LandingProof = Proof | { verdict: 'unproven'; reason: string };

/** The new and changed test programs of a candidate, whose they are, and the commit that it is merged onto. */
export type CandidateTests = { onto: string; added: string[]; modified: string[]; owners?: Owner[] };

/** A task that added or changed a test program. */
type Owner = { task: TaskKey; file: string };

/** The result of the added tests on the base, which does not have the change. */
type OnBase = { passing: string[]; isFailingByAssertion: boolean };

/** Outputs of the usual assertion libraries; an error while a test file is loaded is none of them. */
const ASSERTION =
  /AssertionError|AssertError|assertion .*failed|assertion `|ERR_ASSERTION|expect\(|^E +assert\b|Expected\b|expected .* (?:to|but|got)|Failed asserting|^ *\w+_test\.go:\d+: |\bFAIL: /m;
const SAYS_FIX = /\b(?:fix|fixes|fixing|bug|bugfix|defect|regression)\b/i;
const NEEDS_NO_TEST =
  /\b(?:typos?|lint|format(?:ting)?|docs?|documentation|comments?|readme|build|dependenc\w+|flaky)\b/i;

/** Whether a task is to fix a defect: by its role, or because its title says so. */
export function isFixTask({ spec }: TaskState): boolean {
  return spec.role === 'fix' || (SAYS_FIX.test(spec.title) && !NEEDS_NO_TEST.test(spec.title));
}

/**
 * Judges a candidate that passed its checks by the tests that it adds: the base's tests must pass without them, an added
 * test that passes on the base is reported, and a fix needs one that fails there.
 */
export async function checkAddedTests(
  ctx: EngineContext,
  run: ActiveRun,
  candidate: Candidate,
  tests: CandidateTests,
): Promise<LandingProof> {
  if (tests.added.length > 0) {
    const subject = 'the candidate without the tests that it adds';
    const red = await passesWith(ctx, run, candidate, { commit: tests.onto, paths: tests.added, subject });
    if (red?.verdict === 'error') return { verdict: 'error', evidence: red };
    if (red !== undefined)
      return { verdict: 'held', reason: `Without the tests that it adds ${red.gate} fails: ${red.summary}` };
  }
  let isProven = false;
  let isKnown = false;
  for (const { gate } of await selectedChecks(run, candidate)) {
    const evidence = evidenceFor(run, candidate, gate);
    const baseline = evidence === undefined ? undefined : baselineOf(run, evidence);
    if (evidence === undefined || (baseline?.tests?.ran ?? 0) === 0) continue;
    isKnown = true;
    isProven ||= baseline?.verdict === 'fail';
    const onBase = await runOnBase(ctx, run, { gate, evidence, candidate, tests });
    isProven ||= onBase?.isFailingByAssertion ?? false;
    const { risks } = run.ledger.state.start.config;
    const passing = onBase?.passing ?? [];
    for (const { names, tasks } of await byOwner(run, candidate, tests.owners, passing)) {
      const detail = `${names.length === 1 ? 'an added test passes' : `${names.length} added tests pass`} on the base too: ${listNames(names)}`;
      const flags = candidateFlag('test-passes-on-base', detail, risks);
      await addFlags(ctx, run, { ...candidate, tasks }, evidence, flags);
    }
  }
  return isKnown && !isProven ? requireProof(ctx, run, candidate) : { verdict: 'pass' };
}

/** Tests with the tasks that added them, by their files or by their titles in these; those of no known task belong to all that add tests. */
async function byOwner(
  run: ActiveRun,
  { tasks, commit }: Candidate,
  owners: readonly Owner[] = [],
  names: readonly string[],
): Promise<{ tasks: TaskKey[]; names: string[] }[]> {
  if (tasks.length === 1 || owners.length === 0) return names.length === 0 ? [] : [{ tasks, names: [...names] }];
  const texts = await Promise.all(
    owners.map(async (owner) => ({ ...owner, text: (await showFile(run.project.mirror, commit, owner.file)) ?? '' })),
  );
  const found = new Map<string, { tasks: TaskKey[]; names: string[] }>();
  for (const name of names) {
    const own = texts.filter(({ file, text }) => name.includes(file) || text.includes(testTitle(name)));
    const keys = [...new Set((own.length === 0 ? texts : own).map(({ task }) => task))];
    const group = found.get(keys.join(' ')) ?? { tasks: keys, names: [] };
    group.names.push(name);
    found.set(keys.join(' '), group);
  }
  return [...found.values()];
}

/** A fix without a test that fails on the base goes back to its agent once; after that it is reported. */
async function requireProof(ctx: EngineContext, run: ActiveRun, candidate: Candidate): Promise<LandingProof> {
  const [task] = candidate.tasks.flatMap((key) => run.ledger.state.tasks[key] ?? []);
  if (task === undefined || candidate.tasks.length > 1 || !isFixTask(task)) return { verdict: 'pass' };
  const reason = promptText('roles/sections/prove-fix', {}).trim();
  if (task.lesson?.includes(reason) !== true) return { verdict: 'unproven', reason };
  const { risks } = run.ledger.state.start.config;
  const flags = candidateFlag(
    'not-proven',
    'not proven by a test: no added test fails on the base by an assertion',
    risks,
  );
  const [gate] = commandGates(run, candidate.tasks);
  const evidence = gate === undefined ? undefined : evidenceFor(run, candidate, gate);
  if (evidence !== undefined) await addFlags(ctx, run, candidate, evidence, flags);
  return { verdict: 'pass' };
}

function evidenceFor(run: ActiveRun, { tasks, tree }: Candidate, { name }: CommandGateSpec): Evidence | undefined {
  const all = tasks.flatMap((key) => run.ledger.state.tasks[key]?.evidence ?? []);
  return all.find((evidence) => evidence.gate === name && evidence.tree === tree);
}

async function addFlags(
  ctx: EngineContext,
  run: ActiveRun,
  candidate: Candidate,
  evidence: Evidence,
  flags: readonly RiskFlag[],
): Promise<void> {
  const known = evidence.flags ?? [];
  const added = flags.filter(({ detail }) => !known.some((flag) => flag.detail === detail));
  if (added.length === 0) return;
  const flagged = { ...wholeEvidence(evidence, outputReader(ctx.store, run.id)), flags: [...known, ...added] };
  await ctx.submit(run, () => recordGate(candidate.tasks, candidate.commit, flagged)).committed;
}

/** Runs the added tests on the base; nothing is known where its runner does not name them. */
async function runOnBase(
  ctx: EngineContext,
  run: ActiveRun,
  what: { gate: CommandGateSpec; evidence: Evidence; candidate: Candidate; tests: CandidateTests },
): Promise<OnBase | undefined> {
  const { gate, evidence, candidate, tests } = what;
  const files = [...tests.added, ...tests.modified];
  const runners = evidence.tests?.runners.map(({ runner }) => runner) ?? [];
  if (files.length === 0 || runners.length === 0) return undefined;
  const selected = selectTests(gate, runners, files);
  const subject = `the base with the tests of the ${candidate.tasks.length === 1 ? 'task' : 'tasks'}`;
  const overlay = { commit: candidate.commit, paths: files, subject };
  const result = await runGate(ctx, run, { ...candidate, commit: tests.onto }, { gate: selected, overlay });
  if (result.tests === undefined || !result.tests.runners.some(({ named }) => named)) return undefined;
  return judgeOnBase(ctx, run, { evidence, result, files });
}

function judgeOnBase(
  ctx: EngineContext,
  run: ActiveRun,
  { evidence, result, files }: { evidence: Evidence; result: GateResult; files: readonly string[] },
): OnBase {
  const baseline = baselineOf(run, evidence);
  const base = baseline === undefined ? undefined : loadTests(ctx, baseline);
  const cases = Object.values(result.testList ?? {}).flat();
  const read = {
    results: result.tests ?? { ran: 0, passed: 0, failed: 0, skipped: 0, runners: [], failures: [] },
    tests: result.testList ?? {},
  };
  const isBaseNamed = base?.results.runners.every(({ named }) => named) ?? false;
  const names = new Set(
    isBaseNamed && base !== undefined
      ? addedTests(base, read)
      : cases.flatMap(({ name }) => (files.some((file) => name.includes(file)) ? [name] : [])),
  );
  const added = cases.filter(({ name }) => names.has(name));
  return {
    passing: added.flatMap(({ name, status }) => (status === 'passed' ? [run.redact(name)] : [])),
    isFailingByAssertion: cases.some(({ status }) => status === 'failed') && ASSERTION.test(result.output ?? ''),
  };
}
