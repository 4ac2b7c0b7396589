import { z } from 'zod';
import type { RunState, TaskState } from '../../core/run/state.ts';
import { taskLabel } from '../../core/view/task-label.ts';
import type { Mirror } from '../../git/mirror/mirror.ts';
import { diffText } from '../../git/read/diff.ts';
import { changedPaths } from '../../git/read/tree-changes.ts';
import { findRun, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';
import { rangeOf } from './diff-run.ts';
import { mirrorOfRun } from './project-mirror.ts';

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
    const diff = await diffText(mirror, range);
    return { run: state.start.run, ...range, diff, tasks: await changesOf(mirror, landedTasks(state)) };
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
  return landed.sort((a, b) => a.at - b.at);
}

async function changesOf(mirror: Mirror, landed: readonly Landed[]): Promise<z.infer<typeof ChangedByTask>[]> {
  const files = await changedPaths(mirror, landed);
  return landed.map(({ spec }, index) => ({
    task: spec.key,
    label: taskLabel(spec),
    title: spec.title,
    files: files[index] ?? [],
  }));
}
