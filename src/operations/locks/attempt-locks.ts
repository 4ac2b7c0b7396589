import type { App } from '../../app.ts';
import { locksStream } from '../../schema/coordination/lock.ts';
import { attemptId } from '../../schema/ids.ts';
import { projectPath } from '../../workspaces/project-path.ts';
import type { AttemptCaller } from '../attempt-caller.ts';
import { requireActive, requireControl, requireTask } from '../find-run.ts';

/** The locks of an attempt: the stream of its project, the owner's name, and paths as all workspaces have them. */
export type AttemptLocks = { stream: string; by: string; paths: string[] };

/** Resolves the paths that an agent names. */
export async function attemptLocks(
  app: App,
  { run, task, attempt }: AttemptCaller,
  paths: readonly string[],
): Promise<AttemptLocks> {
  const active = requireActive(app, run);
  const state = requireTask(active.ledger.state, task);
  const workspace = await requireControl(app).workspaceOf(active, state);
  const { root } = active.project.repository;
  const resolved = await Promise.all(paths.map((path) => projectPath(path, { workspace, root })));
  return {
    stream: locksStream(active.project.id),
    by: attemptId(run, state.ordinal, attempt),
    paths: [...new Set(resolved)].sort(),
  };
}
