import { join } from 'node:path';
import { landedTasks } from '../../core/finish/acceptance.ts';
import { recordGate } from '../../core/land/decide-landing.ts';
import { AppError } from '../../errors.ts';
import { isOnCandidate, mustBindAll, recheckedInspections } from '../../gates/gate-kinds.ts';
import { refreshMirror } from '../../git/mirror/refresh.ts';
import { treeOf } from '../../git/read/commit-graph.ts';
import { readRef } from '../../git/refs/mirror-refs.ts';
import type { Origin } from '../../schema/actor.ts';
import type { Evidence, GateSpec } from '../../schema/gate.ts';
import type { TaskKey } from '../../schema/ids.ts';
import { childEnvironment } from '../../workspaces/environment.ts';
import { crashpoint } from '../../world.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { commandGates, rerunGate } from './check-candidate.ts';

type Result = { commit: string; tree: string };

/** Runs every check of a run again on its current result, independent of earlier evidence, and records the results. */
export async function recheckRun(ctx: EngineContext, run: ActiveRun, origin?: Origin): Promise<Evidence[]> {
  const commit = await resultOf(run);
  const result = { commit, tree: await treeOf(run.project.mirror, commit) };
  const found: Evidence[] = [];
  const commands = commandGates(run, run.ledger.state.order).filter(({ own }) => own !== true);
  for (const gate of [...inspections(run), ...commands]) {
    const tasks = landedTasks(run.ledger.state).filter(({ spec }) =>
      spec.gates.some((spec) => spec.name === gate.name),
    );
    const keys = tasks.map(({ spec }) => spec.key);
    const evidence = isOnCandidate(gate)
      ? heldIfUnstable(await rerunGate(ctx, run, { ...result, tasks: keys }, gate))
      : await inspect(ctx, run, gate, result);
    ctx.stopping.throwIfAborted();
    await ctx.submit(run, () => recordGate(keys, commit, evidence), { origin }).committed;
    crashpoint('gate.recorded');
    found.push(evidence);
  }
  return found;
}

/** A check that failed and then passed for no reason that the base shows proves nothing until a person decides. */
function heldIfUnstable(evidence: Evidence): Evidence {
  const unstable = evidence.flags?.find(({ risk, blocking }) => risk === 'green-after-red' && blocking);
  return unstable === undefined ? evidence : { ...evidence, verdict: 'held', summary: unstable.detail };
}

/** The landed commit, or the current tip of the run's branch. */
async function resultOf(run: ActiveRun): Promise<string> {
  const { landed, tip, start, status } = run.ledger.state;
  if (status.kind !== 'ended')
    throw new AppError('REFUSED', `Run ${run.id} has not ended; the engine still runs its checks`, { run: run.id });
  if (tip.commit === start.base.commit)
    throw new AppError('REFUSED', `Run ${run.id} changed nothing that could be checked`, { run: run.id });
  if (landed !== null) return landed.commit;
  await refreshMirror(run.project.mirror, run.project.repository);
  return (await readRef(run.project.mirror, `refs/user/heads/mh/${run.id}`)) ?? tip.commit;
}

/** The gates that inspect changes; a scope only if every landed task had it, because only then does it apply to the whole result. */
function inspections(run: ActiveRun): GateSpec[] {
  const tasks = landedTasks(run.ledger.state);
  const gates = new Map<string, { gate: GateSpec; tasks: Set<TaskKey> }>();
  for (const { spec } of tasks) {
    for (const gate of recheckedInspections(spec.gates)) {
      const known = gates.get(JSON.stringify(gate)) ?? { gate, tasks: new Set() };
      gates.set(JSON.stringify(gate), known);
      known.tasks.add(spec.key);
    }
  }
  return [...gates.values()].flatMap(({ gate, tasks: of }) =>
    mustBindAll(gate) && of.size < tasks.length ? [] : [gate],
  );
}

/** Inspects all changes of the run, from its base to the result; there is no output of a single attempt to search. */
async function inspect(
  ctx: EngineContext,
  run: ActiveRun,
  gate: GateSpec,
  { commit, tree }: Result,
): Promise<Evidence> {
  const { start } = run.ledger.state;
  const { verdict, summary, exitCode, setup, durationMs, output } = await ctx.implementations.checkGate(gate, {
    changed: [],
    output: undefined,
    outputSchema: undefined,
    folder: join(ctx.home.attempts, `${run.id}-gate-${ctx.world.token()}`),
    env: childEnvironment(ctx.env),
    checkout: () => Promise.reject(new Error('a result is inspected without a checkout')),
    work: {
      mirror: run.project.mirror,
      base: start.base.commit,
      commit,
      kept: `refs/manyhands/nothing-kept/${run.id}`,
      stdout: undefined,
      stderr: undefined,
    },
    signal: ctx.stopping,
  });
  return {
    gate: gate.name,
    tree,
    definition: ctx.implementations.definition(gate, start.config),
    verdict,
    summary: run.redact(summary),
    exitCode,
    setup,
    durationMs,
    reused: false,
    ...(output === undefined ? {} : { output: run.redact(output) }),
  };
}
