import { z } from 'zod';
import { FileLock, locksStream } from '../../schema/coordination/lock.ts';
import { findProject, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';

/** A request that waits for locks. */
const WaitingRequest = z.object({ by: z.string(), paths: z.array(z.string()), reason: z.string() });

/** The locks of a project and who waits for them. */
export const ProjectLocks = z.object({ held: z.array(FileLock), queue: z.array(WaitingRequest) });
export type ProjectLocks = z.infer<typeof ProjectLocks>;

/** Lists the locks of a project. */
export const listLocks = operation({
  name: 'list-locks',
  where: 'anywhere',
  summary: 'List the locks on files of a project, and who waits for them',
  http: 'GET /api/locks',
  allow: ['viewer', 'operator'],
  input: z.object(RunRef),
  output: ProjectLocks,
  run: async (app, ref) => {
    const { id } = await findProject(app, ref);
    const now = app.world.now();
    const { held, queue } = app.locks.state(locksStream(id));
    return {
      held: held.filter(({ expires }) => expires === null || expires > now),
      queue: queue.filter(({ until }) => until > now).map(({ by, paths, reason }) => ({ by, paths, reason })),
    };
  },
});
