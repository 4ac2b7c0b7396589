import type { TaskState } from '../../core/run/state.ts';
import { handoffGate, requiresChange } from '../../gates/gate-kinds.ts';
import type { SavedWork } from '../../schema/event.ts';
import type { Failure } from '../../schema/failure.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { noChangeFailure } from './attempt-digest.ts';
import { filesWithMarkers } from './inspect-work.ts';
import type { Outcome } from './supervise.ts';

/** Length of what a handoff gate found, in the failure of the attempt. */
const MESSAGE_CHARS = 4_000;

/** The gates of the attempt itself: something changed, the handoff is usable, no conflict marker remains. */
export async function judgeAttempt(
  ctx: EngineContext,
  run: ActiveRun,
  { task, outcome, saved }: { task: TaskState; outcome: Outcome; saved: SavedWork | undefined },
): Promise<Failure | undefined> {
  if (requiresChange(task.spec.gates) && saved?.changed !== true) {
    return noChangeFailure(outcome.digest);
  }
  const remaining = saved === undefined ? [] : await filesWithMarkers(run, task, saved);
  if (remaining.length > 0) {
    return { kind: 'implementation', message: `Conflict markers are left in ${remaining.join(', ')}` };
  }
  if (task.spec.access === 'read' && outcome.result.output === undefined && outcome.result.text.trim() === '') {
    return { kind: 'bad-output', message: 'It ended without an answer' };
  }
  return judgeHandoff(ctx, run, task, outcome.result.output);
}

async function judgeHandoff(
  ctx: EngineContext,
  run: ActiveRun,
  task: TaskState,
  output: unknown,
): Promise<Failure | undefined> {
  const gate = handoffGate(task.spec.gates);
  const schema = task.spec.outputSchema ?? run.roles.get(task.spec.role)?.output;
  if (gate === undefined || schema === undefined) return undefined;
  const result = await ctx.implementations.checkGate(gate, {
    changed: [],
    output,
    outputSchema: schema,
    folder: ctx.home.attempts,
    env: {},
    checkout: () => Promise.reject(new Error('a handoff is checked without a checkout')),
    signal: ctx.stopping,
  });
  if (result.verdict !== 'pass')
    return {
      kind: 'bad-output',
      message: [result.summary, ...(result.output?.split('\n') ?? [])].slice(0, 3).join(' ').slice(0, MESSAGE_CHARS),
      ...(result.output === undefined ? {} : { evidence: result.output }),
    };
  const refusal = run.recipe.accept?.(task, output);
  return refusal === undefined ? undefined : { kind: 'bad-output', message: refusal };
}
