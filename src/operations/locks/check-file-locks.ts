import { z } from 'zod';
import { locksOfOthers } from '../../core/project/locks.ts';
import { FileLock } from '../../schema/coordination/lock.ts';
import { AttemptCaller } from '../attempt-caller.ts';
import { operation } from '../operation.ts';
import { attemptLocks } from './attempt-locks.ts';

const MOST_LISTED = 200;

/** Tells which files are locked, by whom and why. */
export const checkFileLocks = operation({
  name: 'check-file-locks',
  where: 'engine',
  summary:
    'List the locks of other agents and people on these files and folders (without paths: in the whole project), and your own',
  http: { unreachable: 'An agent calls it through the socket of its attempt.' },
  allow: ['attempt'],
  input: z.object({ ...AttemptCaller, paths: z.array(z.string().min(1).max(4_096)).max(100).default([]) }),
  output: z.object({ others: z.array(FileLock), own: z.array(z.string()) }),
  run: async (app, { paths: named, ...caller }) => {
    const { stream, by, paths } = await attemptLocks(app, caller, named);
    const state = app.locks.state(stream);
    const others = locksOfOthers(state, { by, paths: named.length === 0 ? [''] : paths });
    const own = state.held.filter((lock) => lock.by === by).map(({ path }) => path);
    return { others: others.slice(0, MOST_LISTED), own: own.slice(0, MOST_LISTED) };
  },
});
