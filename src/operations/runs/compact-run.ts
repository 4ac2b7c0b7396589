import { z } from 'zod';
import type { App } from '../../app.ts';
import type { RunState } from '../../core/run/state.ts';
import { compactRun as compact, type RunTranscriptItem } from '../../core/view/compact-run.ts';
import { taskLabel } from '../../core/view/task-label.ts';
import { lastCheckpoint } from '../../engine/attempt/memory.ts';
import { CompactRun } from '../../schema/compact-run.ts';
import { attemptId, runStream } from '../../schema/ids.ts';
import { findRun, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';
import { readUntilFound } from '../wait-for-change.ts';

/** How many of the latest attempts are read, and how many of their last rows. */
const MOST_ATTEMPTS = 20;
const MOST_ROWS = 300;
const MOST_CHECKPOINTS = 5;

/** A short summary of a run and what to do next. */
export const compactRun = operation({
  name: 'compact-run',
  where: 'anywhere',
  summary: 'Summarize the progress of a run and the next step',
  http: 'GET /api/runs/{run}/compact',
  allow: ['guest', 'viewer', 'operator'],
  input: z.object({
    ...RunRef,
    after: z.string().max(100).optional().describe('The cursor of the previous response.'),
    waitSeconds: z
      .number()
      .min(0)
      .max(50)
      .default(0)
      .describe('With `after`: while there is nothing to do, wait this long for something new.'),
  }),
  output: CompactRun,
  run: async (app, { after, waitSeconds, ...ref }, { signal }) => {
    const { run } = (await findRun(app, ref)).start;
    const read = () => summaryOf(app, app.runs.state(run), after);
    if (after === undefined || waitSeconds === 0) return read();
    const isNew = ({ cursor, recommended }: CompactRun) =>
      recommended.action !== 'wait' || cursor.split('.')[0] !== after.split('.')[0];
    const waiting = { streams: [runStream(run)], seconds: waitSeconds, signal };
    const found = await readUntilFound(app, waiting, () => [read()].find(isNew));
    return found ?? read();
  },
});

function summaryOf(app: App, state: RunState, after: string | undefined): CompactRun {
  const summary = { ...compact(state, lastRows(app, state), after), checkpoints: checkpointsOf(app, state) };
  const { run } = state.start;
  if (summary.recommended.action !== 'wait' || app.runs.isActive(run)) return summary;
  const because = 'it was interrupted: no engine is running it';
  const recommended = { action: 'resume' as const, task: null, because, command: `manyhands resume ${run}` };
  return { ...summary, recommended };
}

/** Those of running tasks first, else of the tasks that are not done. */
function checkpointsOf({ store }: App, state: RunState): CompactRun['checkpoints'] {
  const running = Object.keys(state.running);
  const isOpen = (key: string) => state.tasks[key]?.phase.status !== 'done';
  const keys = state.status.kind === 'ended' ? [] : running.length > 0 ? running : state.order.filter(isOpen);
  return keys.slice(0, MOST_CHECKPOINTS).flatMap((key) => {
    const task = state.tasks[key];
    const checkpoint = task === undefined ? undefined : lastCheckpoint(store, state, task);
    return task === undefined || checkpoint === undefined
      ? []
      : [{ task: key, label: taskLabel(task.spec), ...checkpoint }];
  });
}

function lastRows({ store }: App, state: RunState): RunTranscriptItem[] {
  const attempts = state.order.flatMap((task) =>
    (state.tasks[task]?.attempts ?? []).map(({ number, startedAt }) => ({
      task,
      startedAt,
      attempt: attemptId(state.start.run, state.tasks[task]?.ordinal ?? 0, number),
    })),
  );
  return attempts
    .sort((a, b) => b.startedAt - a.startedAt)
    .slice(0, MOST_ATTEMPTS)
    .flatMap(({ task, attempt }) => {
      const offset = Math.max(store.rowCount(attempt) - MOST_ROWS, 0);
      return store.page({ attempt, offset, limit: MOST_ROWS }).map((row) => ({ ...row, task }));
    })
    .sort((a, b) => a.id - b.id);
}
