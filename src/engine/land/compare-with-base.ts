import { fileKind } from '../../core/finish/file-kind.ts';
import type { Redact } from '../../core/redact.ts';
import { proofKey } from '../../core/run/state.ts';
import type { GateResult } from '../../gates/gate.ts';
import { compareTests } from '../../gates/test-results/compare-tests.ts';
import type { ReadTests } from '../../gates/test-results/read-test-results.ts';
import { changedFiles } from '../../git/read/diff.ts';
import { candidateFlag } from '../../risks/candidate-risks.ts';
import { type Evidence, TestList, type TestResults } from '../../schema/gate.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';

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
  const candidate = loadTests(ctx, evidence);
  if (base === undefined || candidate === undefined || evidence.verdict !== 'pass') return evidence;
  const { isSilent, counts, missing, skipped } = compareTests(base, candidate);
  const { risks } = run.ledger.state.start.config;
  if (isSilent) {
    const summary = `${evidence.gate} exited with 0 but reported no tests; ${base.results.ran} ran on the base`;
    if (!isApproved) return { ...evidence, verdict: 'fail', summary };
    return { ...evidence, flags: [...(evidence.flags ?? []), ...candidateFlag('tests-missing', summary, risks)] };
  }
  const areRenamed = missing.length > 0 && counts.length === 0 && (await changesTests(run, commit));
  const flags = [
    ...(missing.length === 0 || areRenamed
      ? []
      : candidateFlag('tests-missing', missingText(missing, 'did not run'), risks)),
    ...(skipped.length === 0 ? [] : candidateFlag('tests-skipped', missingText(skipped, 'are skipped now'), risks)),
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

function missingText(names: readonly string[], what: string): string {
  const those = names.length === 1 ? 'a test' : `${names.length} tests`;
  return `${those} of the base ${names.length === 1 ? what.replace(/^are/, 'is') : what}: ${listNames(names)}`;
}

/** The first names of a list of tests, and how many more there are. */
export function listNames(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return `${names.slice(0, MOST_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
