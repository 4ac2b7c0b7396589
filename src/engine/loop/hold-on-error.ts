import { holdRun } from '../../core/run/decide-run.ts';
import { AppError, messageOf } from '../../errors.ts';
import { isStoreFailure } from '../../store/ledger.ts';
import type { ActiveRun, EngineContext } from './context.ts';

/** An error of one run (its repository was deleted, for example) holds that run for a person; other runs continue. */
export async function holdOnError(ctx: EngineContext, run: ActiveRun, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    const isRunError = run.ledger.state.status.kind === 'running' && !isStoreFailure(error);
    if (!isRunError || ctx.stopping.aborted) throw error;
    const reason = error instanceof AppError ? `${error.message} (${error.hint})` : messageOf(error);
    await ctx.submit(run, (state) => holdRun(state, { what: 'trouble', reason, files: [] })).committed;
  }
}
