import { z } from 'zod';
import type { RunState, TaskState } from '../../core/run/state.ts';
import { taskLabel } from '../../core/view/task-label.ts';
import type { Mirror } from '../../git/mirror/mirror.ts';
import { changedFiles, diffText } from '../../git/read/diff.ts';
import { findRun, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';
import { rangeOf } from './diff-run.ts';
import { mirrorOfRun } from './project-mirror.ts';

/** Of more tasks than this, only the last ones are attributed: each costs a call of git. */
const MAX_TASKS = 200;

/** A task whose work is part of the result. */
const ChangedByTask = z.object({
  task: z.string(),
  label: z.string().describe('Its id for display.'),
  title: z.string(),
  files: z.array(z.string()).describe('The files that its landed work changed.'),
});

/** Shows what a run changed compared with its base, and which task changed which files. */
export const runChanges = operation({
  name: 'run-changes',
  where: 'anywhere',
  summary: 'Show what a run changed, and which of its tasks changed which files',
  http: 'GET /api/runs/{run}/changes',
  allow: ['guest', 'viewer', 'operator'],
  input: z.object(RunRef),
  output: z.object({
    run: z.string(),
    from: z.string(),
    to: z.string(),
    diff: z.string(),
    tasks: z.array(ChangedByTask).describe('In the order in which they landed.'),
  }),
  run: async (app, ref) => {
    const state = await findRun(app, ref);
    const range = rangeOf(state, undefined);
    const mirror = await mirrorOfRun(app, state);
    const tasks: z.infer<typeof ChangedByTask>[] = [];
    for (const task of landedTasks(state)) tasks.push(await changesOf(mirror, task));
    return { run: state.start.run, ...range, diff: await diffText(mirror, range), tasks };
  },
});

type Landed = { spec: TaskState['spec']; from: string; to: string };

function landedTasks({ order, tasks }: RunState): Landed[] {
  const landed = order.flatMap((key) => {
    const task = tasks[key];
    if (task?.phase.status !== 'done' || task.phase.commit === null) return [];
    const attempt = task.attempts.findLast(({ ended }) => ended?.saved != null);
    const to = attempt?.ended?.saved?.commit;
    return attempt === undefined || to === undefined
      ? []
      : [{ at: task.phase.at, spec: task.spec, from: attempt.base, to }];
  });
  return landed.sort((a, b) => a.at - b.at).slice(-MAX_TASKS);
}

async function changesOf(mirror: Mirror, { spec, ...range }: Landed): Promise<z.infer<typeof ChangedByTask>> {
  const files = (await changedFiles(mirror, range)).map(({ path }) => path);
  return { task: spec.key, label: taskLabel(spec), title: spec.title, files };
}
