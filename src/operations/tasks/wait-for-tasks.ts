import { z } from 'zod';
import { subTasks } from '../../core/run/request-task.ts';
import { isOpen, lastAttempt, type TaskState } from '../../core/run/state.ts';
import { AppError } from '../../errors.ts';
import { runStream, TaskKey } from '../../schema/ids.ts';
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

/** Waits until sub-tasks have ended. */
export const waitForTasks = operation({
  name: 'wait-for-tasks',
  where: 'engine',
  summary:
    'Wait until your sub-tasks have ended, at most 90 seconds; call it again while some are pending. You hold no slot meanwhile',
  http: { unreachable: 'An agent calls it through the socket of its attempt.' },
  allow: ['attempt'],
  tool: { only: 'writing-tasks' },
  input: z.object({
    ...AttemptCaller,
    tasks: z
      .array(TaskKey)
      .max(100)
      .default([])
      .describe('The keys that create_task returned; without them all of yours.'),
    seconds: WaitSeconds,
  }),
  output: z.object({ ended: z.array(SubTask), pending: z.array(SubTask) }),
  run: async (app, { run, task, tasks, seconds }, { signal }) => {
    const read = () => {
      const own = subTasks(app.runs.state(run), task);
      const unknown = tasks.find((key) => own.every(({ spec }) => spec.key !== key));
      if (unknown !== undefined) throw new AppError('TASK_UNKNOWN', `${unknown} is no sub-task of this task`, { run });
      const selected = tasks.length === 0 ? own : own.filter(({ spec }) => tasks.includes(spec.key));
      return {
        ended: selected.filter((each) => !isOpen(each)).map(shown),
        pending: selected.filter(isOpen).map(shown),
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

function shown(task: TaskState): z.infer<typeof SubTask> {
  const { spec, phase } = task;
  return {
    task: spec.key,
    title: spec.title,
    status: phase.status,
    reason: 'reason' in phase ? phase.reason : '',
    summary: lastAttempt(task)?.ended?.summary.slice(0, SUMMARY_CHARS) ?? '',
  };
}
