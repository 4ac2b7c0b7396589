import { testRule } from '../../core/finish/file-kind.ts';
import type { GateResult } from '../../gates/gate.ts';
import type { CommandGateSpec } from '../../gates/gate-kinds.ts';
import { hasTests, testTitle } from '../../gates/test-results/compare-tests.ts';
import { showFile } from '../../git/read/diff.ts';
import { changedPaths } from '../../git/read/touched.ts';
import { candidateFlag } from '../../risks/candidate-risks.ts';
import type { Evidence } from '../../schema/gate.ts';
import { projectStream } from '../../schema/ids.ts';
import type { RiskFlag } from '../../schema/risk.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { baselineOf, listNames, loadTests } from './compare-with-base.ts';

/** A result with the earlier results of the same check on the same commit, and what they show. */
export type SettledResult = { result: GateResult; earlier: GateResult[]; flags: RiskFlag[] };

type Rerun = { gate: CommandGateSpec; commit: string; definition: string };

/**
 * Runs a check that failed again before the failure counts. It is flaky if it then passes and the tests that failed are
 * those of the base, unchanged; otherwise a third run decides, and a pass after a failure is left to a person.
 */
export async function settleFailure(
  ctx: EngineContext,
  run: ActiveRun,
  what: Rerun & { first: GateResult; again(): Promise<GateResult> },
): Promise<SettledResult> {
  const { gate, first, again } = what;
  const { limits, risks } = run.ledger.state.start.config;
  const earlier = [first];
  let result = first;
  for (let count = 0; count < (gate.rerun ?? limits.checkReruns) && result.verdict === 'fail'; count += 1) {
    if (count > 0) earlier.push(result);
    result = await again();
  }
  if (result.verdict !== 'pass') return { result: first, earlier: result === first ? [] : [result], flags: [] };
  const failed = first.tests?.failures ?? [];
  const named = failed.length === 0 ? gate.name : `${gate.name} (${listNames(failed)})`;
  if (await isFlakyOnBase(ctx, run, what)) {
    const detail = `${named} is flaky: it failed and then passed on the same commit${timesText(ctx, run, what)}`;
    return { result, earlier, flags: candidateFlag('flaky-check', detail, risks) };
  }
  const third = await again();
  if (third.verdict !== 'pass') return { result: third, earlier: [...earlier, result], flags: [] };
  const detail = `${named} failed once and passed twice on the same commit, and the base does not show that it is flaky`;
  return { result: third, earlier: [...earlier, result], flags: candidateFlag('green-after-red', detail, risks) };
}

/** Whether the tests that failed exist unchanged on the base, outside of the diff, or were flaky there too. */
async function isFlakyOnBase(
  ctx: EngineContext,
  run: ActiveRun,
  what: Rerun & { first: GateResult },
): Promise<boolean> {
  const { start, tip } = run.ledger.state;
  if (what.commit === start.base.commit) return true;
  const { first, gate, definition } = what;
  const failures = first.tests?.failures ?? [];
  const baseline = baselineOf(run, { gate: gate.name, definition });
  if (baseline === undefined || failures.length === 0 || failures.length !== first.tests?.failed) return false;
  if (failures.every((name) => baseline.reruns?.some((rerun) => rerun.failures.includes(name)))) return true;
  const base = loadTests(ctx, baseline);
  if (base === undefined || !hasTests(base, failures)) return false;
  return !(await isInDiff(run, failures, { from: tip.commit, to: what.commit }));
}

/** Whether a changed test file, or a changed file with tests in it, names one of these tests. */
async function isInDiff(
  run: ActiveRun,
  names: readonly string[],
  between: { from: string; to: string },
): Promise<boolean> {
  const { mirror } = run.project;
  for (const path of await changedPaths(mirror, between)) {
    const text = (await showFile(mirror, between.to, path)) ?? '';
    if (testRule(path) === undefined && !/#\[(?:\w+::)?test\]/.test(text)) continue;
    if (names.some((name) => name.includes(path) || text.includes(testTitle(name)))) return true;
  }
  return false;
}

function timesText(ctx: EngineContext, run: ActiveRun, { gate }: Rerun): string {
  const known = ctx.store.readTypes(projectStream(run.project.id), ['check.flaked']);
  const times = known.filter(
    ({ data }) => typeof data === 'object' && data !== null && 'gate' in data && data.gate === gate.name,
  );
  return times.length === 0 ? '' : ` (${times.length + 1} times in this project)`;
}

/**
 * A check that failed only because of tests that may fail counts as passed: those that a person quarantined, and, where
 * the run continues with what fails on the base, exactly those.
 */
export function withTolerated(
  run: ActiveRun,
  gate: CommandGateSpec,
  result: GateResult,
): GateResult & { tolerated?: string[] } {
  const { failed = 0, failures = [] } = result.tests ?? {};
  const { baseRed, guards } = run.ledger.state.start.config;
  if (result.verdict !== 'fail' || failed === 0 || failures.length !== failed || result.exitCode === null)
    return result;
  const onBase = [...(run.ledger.state.baseEvidence ?? []), ...run.baselines.values()];
  const known = baseRed === 'known' ? onBase.filter((evidence) => evidence.gate === gate.name) : [];
  const tolerated = new Set([...guards.quarantine, ...known.flatMap(({ tests }) => tests?.failures ?? [])]);
  if (!failures.every((name) => tolerated.has(name))) return result;
  const summary = `${gate.name} failed only in tests that may fail: ${listNames(failures)}`;
  return { ...result, verdict: 'pass', summary, tolerated: failures };
}

/** The earlier results of a check as evidence records them. */
export function rerunsOf(earlier: readonly GateResult[]): Evidence['reruns'] {
  return earlier.map(({ verdict, summary, exitCode, durationMs, output, outputFile, tests }) => ({
    verdict,
    summary,
    exitCode,
    durationMs,
    failures: tests?.failures ?? [],
    ...(output === undefined ? {} : { output }),
    ...(outputFile === undefined ? {} : { outputFile }),
  }));
}
