import { z } from 'zod';
import type { RunState } from '../../core/run/state.ts';
import { AppError } from '../../errors.ts';
import { diffStat, diffText, type FileStat } from '../../git/read/diff.ts';
import { completeKey, findRun, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';
import { type CommitRange, mirrorOfRun } from './project-mirror.ts';

/** Shows what a run changed compared with its base, or a task's last saved attempt compared with its start. */
export const diffRun = operation({
  name: 'diff-run',
  where: 'anywhere',
  summary: 'Show what a run, or one of its tasks, changed',
  http: 'GET /api/runs/{run}/diff',
  allow: ['guest', 'viewer', 'operator'],
  input: z.object({ ...RunRef, task: z.string().optional() }),
  output: z.object({ run: z.string(), from: z.string(), to: z.string(), stat: z.string(), diff: z.string() }),
  run: async (app, { task, ...ref }) => {
    const state = await findRun(app, ref);
    const range = rangeOf(state, task);
    const mirror = await mirrorOfRun(app, state);
    const stat = statText(await diffStat(mirror, range));
    return { run: state.start.run, ...range, stat, diff: await diffText(mirror, range) };
  },
});

/** The commits before and after the changes of a run or of one of its tasks. */
export function rangeOf(state: RunState, task: string | undefined): CommitRange {
  return task === undefined ? { from: state.start.base.commit, to: state.tip.commit } : taskRange(state, task);
}

function taskRange(state: RunState, named: string): CommitRange {
  const key = completeKey(state, named);
  const attempt = state.tasks[key]?.attempts.findLast(({ ended }) => ended?.saved != null);
  const saved = attempt?.ended?.saved;
  if (attempt === undefined || saved == null)
    throw new AppError('REFUSED', `Task ${key} has no saved work yet`, { key });
  return { from: attempt.base, to: saved.commit };
}

function statText(files: readonly FileStat[]): string {
  const lines = files.map((file) => `${file.binary ? 'binary' : `+${file.added} -${file.deleted}`}\t${file.path}`);
  return lines.join('\n');
}
