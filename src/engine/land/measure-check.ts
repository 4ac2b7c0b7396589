import { recordGate } from '../../core/land/decide-landing.ts';
import { changeText, isBetter, measuredValue, valueText } from '../../core/land/measure.ts';
import type { GateResult } from '../../gates/gate.ts';
import { type CommandGateSpec, commandText } from '../../gates/gate-kinds.ts';
import { treeOf } from '../../git/read/commit-graph.ts';
import type { Evidence, Measure } from '../../schema/gate.ts';
import { crashpoint } from '../../world.ts';
import { runGate } from '../hosts/executor.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import type { Candidate } from './check-request.ts';
import { storeTests } from './compare-with-base.ts';
import { evidenceOf, withoutSecrets } from './evidence.ts';
import { throwIfStopped } from './perform-check.ts';

type MeasuringGate = CommandGateSpec & { measure: Measure };

/** A duration is the shortest of so many runs, because other work on the machine only makes it longer. */
const DURATION_RUNS = 3;

/** Measures on the branch and on the candidate, and passes if the candidate is better; nothing that is known already counts. */
export async function measureCandidate(
  ctx: EngineContext,
  run: ActiveRun,
  candidate: Candidate,
  gate: MeasuringGate,
): Promise<Evidence> {
  const { commit, tree } = run.ledger.state.tip;
  const tip = { commit, tree: tree ?? (await treeOf(run.project.mirror, commit)), tasks: [] };
  const before = (await measureOn(ctx, run, tip, gate)).value ?? null;
  const { result, value } = await measureOn(ctx, run, candidate, gate);
  const after = value ?? null;
  const isHelp = before !== null && after !== null && isBetter(gate.measure, before, after);
  const change = changeText(gate.measure, before, after);
  const judged: GateResult = {
    ...result,
    verdict: isHelp ? 'pass' : result.verdict === 'error' ? 'error' : 'fail',
    summary: `${gate.name}: ${isHelp ? 'better' : 'not better'}: ${change}, by \`${commandText(gate)}\``,
  };
  return evidenceFor(ctx, run, candidate, { gate, result: judged, measured: { before, after } });
}

/** Measures on the tip of the run's branch, and records what each command shows as evidence of a task; the recipe reacts to it. */
export async function measureTip(ctx: EngineContext, run: ActiveRun): Promise<void> {
  const { task = '', commands = [] } = run.toMeasure ?? {};
  const { commit, tree } = run.ledger.state.tip;
  const tip = { commit, tree: tree ?? (await treeOf(run.project.mirror, commit)), tasks: [] };
  for (const gate of commands) {
    if (gate.measure === undefined) continue;
    const { measure } = gate;
    crashpoint('measure.starting');
    const { result, value } = await measureOn(ctx, run, tip, { ...gate, measure });
    const shown = value === undefined ? 'the command printed no measurable value' : valueText(measure.metric, value);
    const judged: GateResult = {
      ...result,
      verdict: value === undefined ? 'not-applicable' : 'pass',
      summary: `${gate.name}: ${shown}, by \`${commandText(gate)}\``,
    };
    const measured = { before: value ?? null, after: null };
    const evidence = await evidenceFor(ctx, run, tip, { gate, result: judged, measured });
    await ctx.submit(run, () => recordGate([task], commit, evidence)).committed;
    crashpoint('measure.recorded');
  }
}

async function measureOn(
  ctx: EngineContext,
  run: ActiveRun,
  candidate: Candidate,
  gate: MeasuringGate,
): Promise<{ result: GateResult; value: number | undefined }> {
  const runs = gate.measure.metric === 'duration' ? DURATION_RUNS : 1;
  let best: { result: GateResult; value: number | undefined } | undefined;
  for (let count = 0; count < runs; count += 1) {
    const result = await runGate(ctx, run, candidate, { gate });
    throwIfStopped(ctx, run);
    const value = measuredValue(gate.measure, result);
    if (value === undefined) return { result, value };
    if (best?.value === undefined || value < best.value) best = { result, value };
  }
  if (best === undefined) throw new Error('a measurement runs at least once');
  return best;
}

async function evidenceFor(
  ctx: EngineContext,
  run: ActiveRun,
  { tree }: Candidate,
  { gate, result, measured }: { gate: CommandGateSpec; result: GateResult; measured: Evidence['measured'] },
): Promise<Evidence> {
  const definition = ctx.implementations.definition(gate, run.ledger.state.start.config);
  const tests = await storeTests(ctx, result, run.redact);
  return {
    ...evidenceOf(gate, withoutSecrets(result, run.redact), { tree, definition }),
    ...(measured === undefined ? {} : { measured }),
    ...(tests === undefined ? {} : { tests }),
  };
}
