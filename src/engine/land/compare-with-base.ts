import { fileKind } from '../../core/finish/file-kind.ts';
import type { Redact } from '../../core/redact.ts';
import { proofKey } from '../../core/run/state.ts';
import type { GateResult } from '../../gates/gate.ts';
import type { CommandGateSpec } from '../../gates/gate-kinds.ts';
import { compareTests } from '../../gates/test-results/compare-tests.ts';
import { mergeTests } from '../../gates/test-results/merge-tests.ts';
import type { ReadTests } from '../../gates/test-results/read-test-results.ts';
import { treeOf } from '../../git/read/commit-graph.ts';
import { changedFiles } from '../../git/read/diff.ts';
import { candidateFlag } from '../../risks/candidate-risks.ts';
import { type Evidence, TestList, type TestResults } from '../../schema/gate.ts';
import { runGate } from '../hosts/executor.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { evidenceOf, knownProofs, withoutSecrets } from './evidence.ts';
import { throwIfStopped } from './perform-check.ts';

/** The command for a commit in which nothing of what a candidate affects exists. */
export const NOTHING = 'true';

/** The maximum number of tests named in a finding; the recorded list has all of them. */
const MOST_NAMES = 20;

/** Stores the names of the tests, once for all evidence that has the same ones, and returns the results that refer to them. */
export async function storeTests(
  ctx: EngineContext,
  { tests, testList }: GateResult,
  redact: Redact,
): Promise<TestResults | undefined> {
  if (tests === undefined) return undefined;
  const failures = tests.failures.map((name) => redact(name));
  if (!tests.runners.some(({ named }) => named)) return { ...tests, failures };
  return { ...tests, failures, list: await ctx.store.putBlob(redact(JSON.stringify(testList ?? {}))) };
}

/** The test results of evidence, with stored names restored. */
export function loadTests(ctx: EngineContext, { tests: results }: Evidence): ReadTests | undefined {
  if (results === undefined) return undefined;
  const stored = results.list === undefined ? undefined : ctx.store.getBlob(results.list);
  const tests = stored === undefined ? undefined : TestList.safeParse(JSON.parse(stored));
  if (tests?.success) return { results, tests: tests.data };
  return {
    results: { ...results, runners: results.runners.map((runner) => ({ ...runner, named: false })) },
    tests: {},
  };
}

/** The evidence of the same check for the commit that a candidate is merged onto, else for the base of the run. */
export function baselineOf(
  run: ActiveRun,
  { gate, definition }: Pick<Evidence, 'gate' | 'definition'>,
): Evidence | undefined {
  const { tip, proven, baseEvidence } = run.ledger.state;
  const key = tip.tree === null ? undefined : proofKey({ tree: tip.tree, definition });
  const atTip = key === undefined ? undefined : (proven[key] ?? run.baselines.get(key));
  return atTip ?? baseEvidence?.find((found) => found.gate === gate && found.definition === definition);
}

/** Runs a check on the commit that a candidate is merged onto, once for each tree and command, so that both can be compared. */
export async function checkBaseline(
  ctx: EngineContext,
  run: ActiveRun,
  gate: CommandGateSpec,
  commit: string,
): Promise<Evidence | undefined> {
  const { proven, start } = run.ledger.state;
  const tree = await treeOf(run.project.mirror, commit);
  const definition = ctx.implementations.definition(gate, start.config);
  const key = proofKey({ tree, definition });
  const known = proven[key] ?? run.baselines.get(key);
  if (known !== undefined || gate.onBase === NOTHING) return known;
  const { onBase, ...same } = gate;
  const command = onBase === undefined ? same : { ...same, run: onBase };
  const result = await runGate(ctx, run, { commit, tree, tasks: [] }, { gate: command });
  throwIfStopped(ctx, run);
  const evidence = evidenceOf(gate, withoutSecrets(result, run.redact), { tree, definition });
  const tests = await storeTests(ctx, result, run.redact);
  const found = { ...evidence, ...(tests === undefined ? {} : { tests }) };
  run.baselines.set(key, found);
  return found;
}

/** The result of the same command on the commit that the candidate is merged onto. */
export function onBaseOf(run: ActiveRun, evidence: Evidence): Evidence['onBase'] {
  const baseline = baselineOf(run, evidence);
  if (baseline === undefined) return undefined;
  const { tree, verdict, summary, command, tests } = baseline;
  return {
    tree,
    verdict,
    summary,
    ...(command === undefined ? {} : { command }),
    ...(tests === undefined ? {} : { tests }),
  };
}

/**
 * The evidence with the test differences from the base: a check that reports no tests any more fails, unless a person
 * approved the work; missing and skipped tests are flagged.
 */
export async function comparedWithBase(
  ctx: EngineContext,
  run: ActiveRun,
  evidence: Evidence,
  { commit, isApproved }: { commit: string; isApproved: boolean },
): Promise<Evidence> {
  const baseline = baselineOf(run, evidence);
  const base = baseline === undefined || baseline.tree === evidence.tree ? undefined : loadTests(ctx, baseline);
  const mayRename = () => changesTests(run, commit);
  return base === undefined ? evidence : withDifference(ctx, run, evidence, { base, mayRename, isApproved });
}

/**
 * The evidence for the merge of the run's branch with a base that has moved, with its differences from the tests that
 * such a merge has: those of both, and those that one of them added. The check runs once on that base for this.
 */
export async function comparedWithMerge(
  ctx: EngineContext,
  run: ActiveRun,
  evidence: Evidence,
  { gate, onto, isApproved }: { gate: CommandGateSpec; onto: string; isApproved: boolean },
): Promise<Evidence> {
  const { tip, start, baseEvidence } = run.ledger.state;
  if (evidence.verdict !== 'pass' || evidence.tree === (await treeOf(run.project.mirror, tip.commit))) return evidence;
  const atStart = baseEvidence?.find(({ definition }) => definition === evidence.definition);
  const atTip = await checkBaseline(ctx, run, gate, tip.commit);
  if ([evidence, atTip, atStart].every((found) => (found?.tests?.ran ?? 0) === 0)) return evidence;
  const shared = knownProofs(ctx, run).get(
    proofKey({ tree: await treeOf(run.project.mirror, onto), definition: evidence.definition }),
  );
  const atOnto = shared ?? (await checkBaseline(ctx, run, gate, onto));
  const [base, ours, theirs] = [atStart, atTip, atOnto].map((found) => found && loadTests(ctx, found));
  const expected = ours === undefined || theirs === undefined ? (ours ?? theirs) : mergeTests({ base, ours, theirs });
  if (expected === undefined) return evidence;
  const name = start.base.branch ?? 'the base';
  return withDifference(ctx, run, evidence, {
    base: expected,
    of: `${name} or of this run`,
    where: `${name} or in this run`,
    isApproved,
  });
}

type Compared = {
  base: ReadTests;
  isApproved: boolean;
  /** Whether tests with other names may replace those of the base. */
  mayRename?: () => Promise<boolean>;
  /** Whose tests they are, and where they ran. */
  of?: string;
  where?: string;
};

async function withDifference(
  ctx: EngineContext,
  run: ActiveRun,
  evidence: Evidence,
  { base, isApproved, mayRename, of = 'the base', where = of }: Compared,
): Promise<Evidence> {
  const candidate = loadTests(ctx, evidence);
  if (candidate === undefined || evidence.verdict !== 'pass') return evidence;
  const { isSilent, counts, missing, skipped } = compareTests(base, candidate);
  const { risks } = run.ledger.state.start.config;
  if (isSilent) {
    const summary = `${evidence.gate} exited with 0 but reported no tests; ${base.results.ran} ran on ${where}`;
    if (!isApproved) return { ...evidence, verdict: 'fail', summary };
    return { ...evidence, flags: [...(evidence.flags ?? []), ...candidateFlag('tests-missing', summary, risks)] };
  }
  const areRenamed = missing.length > 0 && counts.length === 0 && (await mayRename?.()) === true;
  const flags = [
    ...(missing.length === 0 || areRenamed
      ? []
      : candidateFlag('tests-missing', missingText(missing, 'did not run', of), risks)),
    ...(skipped.length === 0 ? [] : candidateFlag('tests-skipped', missingText(skipped, 'are skipped now', of), risks)),
    ...(counts.length === 0 ? [] : candidateFlag('fewer-tests', `${evidence.gate}: ${counts.join('; ')}`, risks)),
  ];
  return flags.length === 0 ? evidence : { ...evidence, flags: [...(evidence.flags ?? []), ...flags] };
}

/** Whether test files were changed: then the base's version of them must also run and pass, so that another name loses nothing. */
async function changesTests(run: ActiveRun, commit: string): Promise<boolean> {
  const { tip } = run.ledger.state;
  const changed = await changedFiles(run.project.mirror, { from: tip.commit, to: commit });
  return changed.some(({ path, status }) => status === 'modified' && fileKind(path) === 'test');
}

/**
 * The evidence of the base's own tests on a candidate: it fails if one of them does, or does not run; a check that fails
 * although every one of them passes, such as a coverage threshold, does not count.
 */
export function judgeBaseTests(ctx: EngineContext, run: ActiveRun, evidence: Evidence): Evidence {
  const baseline = baselineOf(run, evidence);
  const [base, candidate] = [baseline === undefined ? undefined : loadTests(ctx, baseline), loadTests(ctx, evidence)];
  if (base === undefined || candidate === undefined || base.results.ran === 0) return evidence;
  if (evidence.verdict === 'error' || candidate.results.failed > 0) return evidence;
  const { isSilent, counts, missing, skipped } = compareTests(base, candidate);
  if (!isSilent && counts.length + missing.length + skipped.length === 0) return { ...evidence, verdict: 'pass' };
  if (evidence.verdict === 'fail') return evidence;
  const lost = [...missing, ...skipped];
  const summary = isSilent
    ? 'no test of the base ran'
    : lost.length > 0
      ? missingText(lost, 'did not run')
      : counts.join('; ');
  return { ...evidence, verdict: 'fail', summary };
}

function missingText(names: readonly string[], what: string, of = 'the base'): string {
  const those = names.length === 1 ? 'a test' : `${names.length} tests`;
  return `${those} of ${of} ${names.length === 1 ? what.replace(/^are/, 'is') : what}: ${listNames(names)}`;
}

/** The first names of a list of tests, and how many more there are. */
export function listNames(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return `${names.slice(0, MOST_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
