import { messageOf } from '../../errors.ts';
import { pushBranch } from '../../git/push/push.ts';
import { crashpoint } from '../../world.ts';
import { addProgress } from '../attempt/progress-file.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';

/**
 * Writes the state of the work to the project's own files: the status of each item to the work file, and a line for each landed
 * task to the progress file. A file that cannot be written never fails the run; the reason is returned.
 */
export async function writeBack(ctx: EngineContext, run: ActiveRun): Promise<string | undefined> {
  const { state } = run.ledger;
  const statuses = run.recipe.statuses?.(state, state.start.input);
  const landed = Object.values(state.tasks).filter(({ phase }) => phase.status === 'done' && phase.commit !== null);
  const text = JSON.stringify([statuses, landed.length]);
  if (run.writtenBack.content === text) return undefined;
  run.writtenBack.content = text;
  crashpoint('status.writing');
  const keys = landed.map(({ spec }) => spec.key);
  const { root } = state.start.project;
  const statusError =
    statuses === undefined
      ? undefined
      : await errorOfWriting(statuses.file, async () => run.recipe.writeStatuses?.(root, statuses));
  const progressError = await errorOfWriting('the progress file', () => addProgress(run, keys, ctx.world.now()));
  crashpoint('status.written');
  const errors = [statusError, progressError].filter((reason) => reason !== undefined);
  return errors.length === 0 ? undefined : errors.join('; ');
}

async function errorOfWriting(file: string, write: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await write();
    return undefined;
  } catch (error) {
    return `${file} could not be updated: ${messageOf(error)}`;
  }
}

/** The files of the user's checkout that a run writes: uncommitted changes of them do not prevent landing. */
export function writtenFiles({ ledger, recipe }: ActiveRun): string[] {
  const { state } = ledger;
  const { progress } = state.start.config;
  const file = recipe.statuses?.(state, state.start.input)?.file;
  return [file, progress].filter((path) => path !== undefined);
}

/** Writes back during the run; what cannot be written is tried again at its end, and reported there. */
export async function writeBackDuringRun(ctx: EngineContext, run: ActiveRun): Promise<void> {
  run.writtenBack.version = run.ledger.state.version;
  const error = await writeBack(ctx, run);
  if (error !== undefined) run.writtenBack.content = undefined;
}

/** Whether the run changed since its files were last written; called at every pass of the loop, so it compares versions only. */
export function isWriteBackDue({ ledger: { state }, writtenBack }: ActiveRun): boolean {
  if (writtenBack.version === state.version) return false;
  return state.start.config.progress !== undefined || hasFile(state.start.input);
}

function hasFile(input: unknown): boolean {
  return typeof input === 'object' && input !== null && 'file' in input && typeof input.file === 'string';
}

/** Pushes the work of failed tasks that name a branch to it; existing branches are never moved. Returns what could not be pushed, and why. */
export async function showFailed(run: ActiveRun): Promise<string | undefined> {
  const { mirror, repository } = run.project;
  const problems: string[] = [];
  for (const task of Object.values(run.ledger.state.tasks)) {
    const saved = task.attempts.findLast(({ ended }) => ended?.saved?.changed)?.ended?.saved;
    if (task.phase.status !== 'failed' || task.spec.branch === undefined || saved == null) continue;
    crashpoint('failed.pushing');
    const { branch } = task.spec;
    const pushed = await pushBranch({ mirror, repository, commit: saved.commit, branch, expected: null });
    if (pushed.kind === 'refused' && pushed.reason !== 'name-taken')
      problems.push(`${branch} could not be created: ${pushed.detail}`);
  }
  return problems.length === 0 ? undefined : problems.join('; ');
}
