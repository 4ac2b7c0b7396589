import { z } from 'zod';
import type { App } from '../../app.ts';
import { subTasks } from '../../core/run/request-task.ts';
import { isOpen, lastAttempt, type RunState, type TaskState } from '../../core/run/state.ts';
import type { SubRunState } from '../../core/run/sub-run-state.ts';
import { subRunDocument } from '../../core/view/sub-run-document.ts';
import { AppError } from '../../errors.ts';
import { RunId, runStream, TaskKey } from '../../schema/ids.ts';
import { AttemptCaller, WaitSeconds } from '../attempt-caller.ts';
import { operation } from '../operation.ts';
import { waitForChange } from '../wait-for-change.ts';

const SUMMARY_CHARS = 2_000;

/** A sub-task as its parent sees it; `summary` is what its agent reported, and data. */
const SubTask = z.object({
  task: z.string(),
  title: z.string(),
  status: z.string(),
  reason: z.string(),
  summary: z.string(),
});

/** A sub-run as its parent sees it. */
const SubRun = z.object({
  run: z.string(),
  title: z.string(),
  status: z.string().describe('running, waiting (for a person), or how it ended.'),
  reason: z.string(),
  summary: z.string(),
  branch: z.string().nullable().describe('The branch with its result.'),
  commit: z.string().nullable(),
});
const Part = z.union([SubTask, SubRun]);
type Part = z.infer<typeof Part>;

/** Waits until sub-tasks and sub-runs have ended. */
export const waitForTasks = operation({
  name: 'wait-for-tasks',
  where: 'engine',
  summary:
    'Wait until your sub-tasks and sub-runs have ended, at most 90 seconds; call it again while some are pending',
  http: { unreachable: 'An agent calls it through the socket of its attempt.' },
  allow: ['attempt'],
  tool: { only: 'writing-tasks' },
  input: z.object({
    ...AttemptCaller,
    tasks: z
      .array(z.union([TaskKey, RunId]))
      .max(100)
      .default([])
      .describe('What create_task (task) and create_run (run) returned; without them all of yours.'),
    seconds: WaitSeconds,
  }),
  output: z.object({ ended: z.array(Part), pending: z.array(Part) }),
  run: async (app, { run, task, tasks, seconds }, { signal }) => {
    const read = () => {
      const parts = partsOf(app, app.runs.state(run), task);
      const unknown = tasks.find((id) => parts.every((part) => part.id !== id));
      if (unknown !== undefined)
        throw new AppError('TASK_UNKNOWN', `${unknown} is no sub-task or sub-run of this task`, { run });
      const selected = tasks.length === 0 ? parts : parts.filter(({ id }) => tasks.includes(id));
      return {
        ended: selected.filter(({ isOpen: open }) => !open).map(({ shown }) => shown()),
        pending: selected.filter(({ isOpen: open }) => open).map(({ shown }) => shown()),
      };
    };
    const waiting = { caller: { run, task }, streams: [runStream(run)], seconds, signal };
    const ended = await waitForChange(app, waiting, () => {
      const found = read();
      return found.pending.length === 0 ? found : undefined;
    });
    return ended ?? read();
  },
});

/** What the agents of a task delegated. */
function partsOf(app: App, state: RunState, parent: TaskKey): { id: string; isOpen: boolean; shown: () => Part }[] {
  const tasks = subTasks(state, parent).map((task) => ({
    id: task.spec.key,
    isOpen: isOpen(task),
    shown: () => shownTask(task),
  }));
  const runs = (state.subRuns ?? []).flatMap((subRun) =>
    subRun.task === parent
      ? [{ id: subRun.run, isOpen: subRun.ended === null, shown: () => shownRun(app, subRun) }]
      : [],
  );
  return [...tasks, ...runs];
}

function shownTask(task: TaskState): Part {
  const { spec, phase } = task;
  return {
    task: spec.key,
    title: spec.title,
    status: phase.status,
    reason: 'reason' in phase ? phase.reason : '',
    summary: summaryOf(task),
  };
}

function shownRun(app: App, subRun: SubRunState): Part {
  const { run, title, status, reason, branch } = subRunDocument(subRun);
  const { tasks, order } = app.runs.state(run);
  const last = order.flatMap((key) => tasks[key] ?? []).at(-1);
  const commit = subRun.ended?.commit ?? null;
  return {
    run,
    title,
    status,
    reason: reason ?? '',
    summary: last === undefined ? '' : summaryOf(last),
    branch,
    commit,
  };
}

function summaryOf(task: TaskState): string {
  return lastAttempt(task)?.ended?.summary.slice(0, SUMMARY_CHARS) ?? '';
}
