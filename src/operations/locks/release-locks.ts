import { z } from 'zod';
import { releaseLocks as decideRelease } from '../../core/project/locks.ts';
import { AppError } from '../../errors.ts';
import { locksStream } from '../../schema/coordination/lock.ts';
import { projectPath } from '../../workspaces/project-path.ts';
import { crashpoint } from '../../world.ts';
import { findProject, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';
import { ProjectLocks } from './list-locks.ts';

/** Releases locks on files, whoever holds them; the next that waits gets them. */
export const releaseLocks = operation({
  name: 'release-locks',
  where: 'anywhere',
  summary: 'Release locks on files or folders of a project, whoever holds them',
  http: 'POST /api/locks/release',
  allow: ['operator'],
  input: z.object({ ...RunRef, paths: z.array(z.string().min(1).max(4_096)).min(1).max(100) }),
  output: ProjectLocks,
  run: async (app, { paths: named, ...ref }, { origin }) => {
    const { id, root } = await findProject(app, ref);
    const paths = await Promise.all(named.map((path) => projectPath(path, { workspace: ref.dir ?? root, root })));
    crashpoint('lock.releasing');
    const decide = (state: Parameters<typeof decideRelease>[0]) => {
      const owners = new Set(state.held.map(({ by }) => by));
      const events = [...owners].flatMap((by) => decideRelease({ ...state, queue: [] }, by, paths));
      if (events.length > 0) return events;
      throw new AppError('INPUT_INVALID', `No lock is held on ${named.join(', ')}`);
    };
    const state = await app.locks.update(locksStream(id), decide, origin);
    crashpoint('lock.released');
    return state;
  },
});
