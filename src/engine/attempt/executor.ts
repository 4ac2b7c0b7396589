import { taskOf } from '../../core/run/phase.ts';
import type { TaskState } from '../../core/run/state.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { adoptAttempt, performAttempt } from './perform-attempt.ts';

/** Performs attempts, from their claim to their recorded end: on this machine, or on another one. */
export interface Executor {
  perform(ctx: EngineContext, run: ActiveRun, task: TaskState): Promise<void>;
  /** Continues an attempt that an earlier engine began. */
  adopt(ctx: EngineContext, run: ActiveRun, task: TaskState): Promise<void>;
}

/** Attempts as processes of this machine. */
const thisMachine: Executor = { perform: performAttempt, adopt: adoptAttempt };

/** Continues the current attempt of a task that an earlier engine began. */
export async function adoptTask(ctx: EngineContext, run: ActiveRun, key: TaskKey): Promise<void> {
  const task = taskOf(run.ledger.state, key);
  await executorOf(ctx, task).adopt(ctx, run, task);
}

/** Who performs the current attempt of a task. */
export function executorOf({ hosts }: Pick<EngineContext, 'hosts'>, { attempts }: TaskState): Executor {
  return attempts.at(-1)?.host === undefined || hosts === undefined ? thisMachine : hosts.executor;
}
