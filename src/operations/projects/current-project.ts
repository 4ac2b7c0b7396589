import { basename } from 'node:path';
import { z } from 'zod';
import { locateRepository } from '../../git/read/repository.ts';
import { operation } from '../operation.ts';

/** Finds the repository in which the process that answers was started, such as `mh serve`. */
export const currentProject = operation({
  name: 'current-project',
  where: 'anywhere',
  summary: 'Find the repository in which the server was started',
  http: 'GET /api/projects/current',
  allow: ['operator'],
  input: z.object({}),
  output: z.object({
    project: z
      .object({ root: z.string(), name: z.string() })
      .nullable()
      .describe('Null if it was not started in a repository.'),
  }),
  run: async (_, __, { signal }) => {
    const found = await locateRepository(process.cwd(), signal).catch(() => undefined);
    return { project: found === undefined ? null : { root: found.root, name: basename(found.root) } };
  },
});
