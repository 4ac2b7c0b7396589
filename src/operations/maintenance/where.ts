import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { socketPath } from '../../access/socket/socket-path.ts';
import { inspectRepository, projectId } from '../../git/read/repository.ts';
import { configHome, type Home } from '../../home.ts';
import { operation } from '../operation.ts';

/** Every path that is read or written, and whether it exists. */
export const where = operation({
  name: 'where',
  where: 'anywhere',
  summary: 'List the paths that Manyhands reads and writes',
  http: 'GET /api/where',
  allow: ['viewer', 'operator'],
  input: z.object({ dir: z.string() }),
  output: z.array(z.object({ what: z.string(), path: z.string(), exists: z.boolean() })),
  run: async ({ home, env }, { dir }) => {
    const locations = [
      { what: 'data directory', path: home.root },
      { what: 'database', path: home.database },
      { what: 'workspaces', path: home.workspaces },
      { what: 'attempts (raw output)', path: home.attempts },
      { what: 'checkouts for checks', path: home.checkouts },
      { what: 'removed, not yet deleted', path: home.removing },
      { what: 'dependency seeds', path: home.seeds },
      { what: 'benchmarks', path: home.bench },
      { what: 'backups', path: home.backups },
      { what: 'archives', path: home.archives },
      { what: 'logs', path: home.logs },
      { what: 'engine socket', path: socketPath(home.root) },
      { what: 'global settings', path: join(configHome(env), 'config.yaml') },
      ...(await ofProject(home, dir)),
    ];
    return locations.map((location) => ({ ...location, exists: existsSync(location.path) }));
  },
});

async function ofProject(home: Home, dir: string): Promise<{ what: string; path: string }[]> {
  try {
    const repository = await inspectRepository(dir);
    return [
      { what: 'project settings', path: join(repository.root, '.manyhands', 'config.yaml') },
      { what: 'project roles', path: join(repository.root, '.manyhands', 'roles') },
      { what: 'mirror of this project', path: join(home.mirrors, `${projectId(repository)}.git`) },
    ];
  } catch {
    // The folder is not a usable repository, so it has no paths to list.
    return [];
  }
}
