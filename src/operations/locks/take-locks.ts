import { z } from 'zod';
import { expireLocks, locksOfOthers, requestLocks } from '../../core/project/locks.ts';
import { AppError } from '../../errors.ts';
import { locksStream } from '../../schema/coordination/lock.ts';
import { projectPath } from '../../workspaces/project-path.ts';
import { crashpoint } from '../../world.ts';
import { findProject, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';
import { ProjectLocks } from './list-locks.ts';

/** Locks files for a person, for a time; what others hold is refused. */
export const takeLocks = operation({
  name: 'take-locks',
  where: 'anywhere',
  summary: 'Lock files or folders of a project for yourself, for a time',
  http: 'POST /api/locks',
  allow: ['operator'],
  input: z.object({
    ...RunRef,
    paths: z.array(z.string().min(1).max(4_096)).min(1).max(100),
    seconds: z.number().int().min(1).max(604_800).default(3_600),
    reason: z.string().max(500).default(''),
  }),
  output: ProjectLocks,
  run: async (app, { paths: named, seconds, reason, ...ref }, { origin }) => {
    const { id, root } = await findProject(app, ref);
    const paths = await Promise.all(named.map((path) => projectPath(path, { workspace: ref.dir ?? root, root })));
    const by = `@${'name' in origin.actor ? origin.actor.name : origin.actor.kind}`;
    const stream = locksStream(id);
    const now = app.world.now();
    await app.locks.update(stream, (state) => expireLocks(state, now), origin);
    crashpoint('lock.requesting');
    const state = await app.locks.update(
      stream,
      (before) => {
        const [other] = locksOfOthers(before, { by, paths });
        if (other !== undefined)
          throw new AppError('LOCKED', `${other.path} is locked by ${other.by}`, { path: other.path, by: other.by });
        return requestLocks(before, { by, paths, reason, until: now + 1, expires: now + seconds * 1_000 }, now);
      },
      origin,
    );
    crashpoint('lock.requested');
    return state;
  },
});
