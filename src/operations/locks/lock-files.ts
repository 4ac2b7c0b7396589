import { z } from 'zod';
import { expireLocks, holdsAll, locksOfOthers, nextExpiry, requestLocks } from '../../core/project/locks.ts';
import { FileLock } from '../../schema/coordination/lock.ts';
import { crashpoint } from '../../world.ts';
import { AttemptCaller, WaitSeconds } from '../attempt-caller.ts';
import { operation } from '../operation.ts';
import { waitForChange } from '../wait-for-change.ts';
import { attemptLocks } from './attempt-locks.ts';

/** A request that is not repeated keeps its place this much longer than a call waits. */
const GRACE_MS = 60_000;

/** Locks files for the attempt, all of them or none. */
export const lockFiles = operation({
  name: 'lock-files',
  where: 'engine',
  summary:
    'Lock files or folders before you change them, all of them or none, so that no other agent works on them. Waits at most 90 seconds; call it again with the same paths to continue waiting. The locks end with your attempt',
  http: { unreachable: 'An agent calls it through the socket of its attempt.' },
  allow: ['attempt'],
  tool: { only: 'writing-tasks' },
  input: z.object({
    ...AttemptCaller,
    paths: z.array(z.string().min(1).max(4_096)).min(1).max(100),
    reason: z.string().max(500).default('').describe('What you will change, for those who wait.'),
    seconds: WaitSeconds,
  }),
  output: z.object({
    granted: z.boolean(),
    paths: z.array(z.string()).describe('The paths in the repository.'),
    pending: z.array(FileLock).describe('What others hold; empty if granted.'),
  }),
  run: async (app, { paths: named, reason, seconds, ...caller }, { origin, signal }) => {
    const { stream, by, paths } = await attemptLocks(app, caller, named);
    const { redact } = app.control?.activeRun(caller.run) ?? { redact: String };
    const now = app.world.now();
    const request = {
      by,
      paths,
      reason: redact(reason),
      until: now + (seconds === 0 ? 1 : seconds * 1_000 + GRACE_MS),
    };
    const tick = () => app.locks.update(stream, (state) => expireLocks(state, app.world.now()), origin);
    crashpoint('lock.requesting');
    await tick();
    await app.locks.update(stream, (state) => requestLocks(state, request, now), origin);
    crashpoint('lock.requested');
    const isGranted = () => holdsAll(app.locks.state(stream), { by, paths });
    const waiting = { caller, streams: [stream], wakeAt: () => nextExpiry(app.locks.state(stream)), seconds, signal };
    const granted = await waitForChange(app, waiting, async () => {
      await tick();
      return isGranted() ? true : undefined;
    });
    const pending = granted === true ? [] : locksOfOthers(app.locks.state(stream), { by, paths });
    return { granted: granted === true, paths, pending };
  },
});
