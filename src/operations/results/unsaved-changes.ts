import { z } from 'zod';
import type { App } from '../../app.ts';
import type { RunState, TaskState } from '../../core/run/state.ts';
import { taskLabel } from '../../core/view/task-label.ts';
import { workspaceOfTask } from '../../engine/attempt/workspace-of-task.ts';
import { messageOf } from '../../errors.ts';
import type { Mirror } from '../../git/mirror/mirror.ts';
import { exists } from '../../git/path-kind.ts';
import { diffUnsaved } from '../../git/save/diff-unsaved.ts';
import { completeKey, findRun, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';
import { mirrorOfRun } from './project-mirror.ts';

/** Each running task costs some calls of git. */
const MAX_TASKS = 12;
/** A longer diff is cut; the page of the task shows the whole once it is saved. */
const MAX_DIFF_CHARS = 1_000_000;

const UnsavedWork = z.object({
  task: z.string(),
  label: z.string().describe('Its id for display.'),
  title: z.string(),
  attempt: z.number().int(),
  diff: z.string().describe('The files of its workspace compared with the commit that the attempt started from.'),
  cut: z.boolean().describe('The diff is longer than this.'),
  error: z.string().nullable().describe('Why its workspace cannot be read now.'),
});

/** Shows what running agents have changed so far, before it is saved and checked. */
export const unsavedChanges = operation({
  name: 'unsaved-changes',
  where: 'anywhere',
  summary: 'Show what running agents have changed so far, unsaved and unchecked',
  http: 'GET /api/runs/{run}/changes/unsaved',
  allow: ['viewer', 'operator'],
  input: z.object({ ...RunRef, task: z.string().optional().describe('Only this task.') }),
  output: z.object({
    run: z.string(),
    tasks: z.array(UnsavedWork),
    omitted: z.number().int().describe('Running tasks that are not listed.'),
  }),
  run: async (app, { task, ...ref }, { signal }) => {
    const state = await findRun(app, ref);
    const only = task === undefined ? undefined : completeKey(state, task);
    const running = Object.keys(state.running).filter((key) => only === undefined || key === only);
    const mirror = await mirrorOfRun(app, state);
    const tasks: z.infer<typeof UnsavedWork>[] = [];
    for (const key of running.slice(0, MAX_TASKS)) {
      const found = state.tasks[key];
      if (found !== undefined) tasks.push(await workOf({ app, state, mirror, signal }, found));
    }
    return { run: state.start.run, tasks, omitted: Math.max(running.length - MAX_TASKS, 0) };
  },
});

type Reading = { app: App; state: RunState; mirror: Mirror; signal: AbortSignal };

/** An agent may change files while they are read: that is an error of this task now, and of no other. */
async function workOf({ app, state, mirror, signal }: Reading, task: TaskState): Promise<z.infer<typeof UnsavedWork>> {
  const attempt = task.attempts.at(-1);
  const head = {
    task: task.spec.key,
    label: taskLabel(task.spec),
    title: task.spec.title,
    attempt: attempt?.number ?? 0,
  };
  const { path, excluded } = await workspaceOfTask(app, state, task);
  if (attempt === undefined || excluded === undefined || !(await exists(path)))
    return { ...head, diff: '', cut: false, error: null };
  try {
    const diff = await diffUnsaved({ mirror, path, base: attempt.base, exclude: excluded, signal });
    return { ...head, diff: diff.slice(0, MAX_DIFF_CHARS), cut: diff.length > MAX_DIFF_CHARS, error: null };
  } catch (error) {
    signal.throwIfAborted();
    return { ...head, diff: '', cut: false, error: messageOf(error) };
  }
}
