import { taskOf } from '../../core/run/phase.ts';
import type { TaskState } from '../../core/run/state.ts';
import type { TaskKey } from '../../schema/ids.ts';
import { adoptAttempt, performAttempt } from '../attempt/perform-attempt.ts';
import type { ActiveRun, EngineContext, Executor } from '../loop/context.ts';

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
