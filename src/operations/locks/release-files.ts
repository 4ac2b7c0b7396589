import { z } from 'zod';
import { releaseLocks } from '../../core/project/locks.ts';
import { crashpoint } from '../../world.ts';
import { AttemptCaller } from '../attempt-caller.ts';
import { operation } from '../operation.ts';
import { attemptLocks } from './attempt-locks.ts';

/** Releases locks of the attempt before it ends. */
export const releaseFiles = operation({
  name: 'release-files',
  where: 'engine',
  summary: 'Release your locks on files or folders that you no longer change; without paths, all of yours',
  http: { unreachable: 'An agent calls it through the socket of its attempt.' },
  allow: ['attempt'],
  tool: { only: 'writing-tasks' },
  input: z.object({ ...AttemptCaller, paths: z.array(z.string().min(1).max(4_096)).max(100).default([]) }),
  output: z.object({ held: z.array(z.string()).describe('What you still hold.') }),
  run: async (app, { paths: named, ...caller }, { origin }) => {
    const { stream, by, paths } = await attemptLocks(app, caller, named);
    crashpoint('lock.releasing');
    // The root covers all paths; a release without paths is that of an attempt that has ended.
    const released = named.length === 0 ? [''] : paths;
    const { held } = await app.locks.update(stream, (state) => releaseLocks(state, by, released), origin);
    crashpoint('lock.released');
    return { held: held.filter((lock) => lock.by === by).map(({ path }) => path) };
  },
});
