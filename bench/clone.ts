import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openMirror } from '../src/git/mirror/mirror.ts';
import { inspectRepository } from '../src/git/read/repository.ts';
import { type CreateWorkspace, createWorkspace } from '../src/git/workspace/workspace.ts';
import { WorkspacePool } from '../src/workspaces/workspace-pool.ts';
import { realWorld } from '../src/world.ts';
import type { Benchmark } from './benchmark.ts';
import { makeRepository, makeScratch, runTool } from './scratch.ts';
import { alternate, listed, median, timed } from './timing.ts';

const FILES = 2_000;
const ROUNDS = 9;

type Made = { scratch: string; options: CreateWorkspace };

/** The cost of a workspace that was prepared ahead. */
export const pool: Benchmark = {
  name: 'pool',
  summary: `a workspace of ${FILES} files from the pool, against git clone --shared`,
  target: { is: 'at most', ratio: 0.2 },
  measure: () =>
    againstClone(async ({ scratch, options }) => {
      await createWorkspace({ ...options, path: join(scratch, 'first') });
      const prepared = new WorkspacePool(join(scratch, 'removing'));
      return async () => {
        prepared.prepare({ ...options, path: join(scratch, 'first') }, 1);
        while (prepared.size === 0) await realWorld.sleep(5);
        return timed(async () => {
          if (!(await prepared.take(options))) throw new Error('Nothing was prepared');
        });
      };
    }),
};

/** The cost of a workspace compared with a plain clone. */
export const clone: Benchmark = {
  name: 'clone',
  summary: `a workspace of ${FILES} files, against git clone --shared`,
  target: { is: 'at most', ratio: 1.3 },
  measure: () =>
    againstClone(
      async ({ options }) =>
        async () =>
          timed(() => createWorkspace(options)),
    ),
};

/** Times workspaces that are created in alternation with plain clones of the same repository. */
async function againstClone(prepare: (made: Made) => Promise<() => Promise<number>>) {
  await using scratch = await makeScratch();
  const root = join(scratch.path, 'repository');
  await mkdir(root);
  await makeRepository(root, FILES);
  const repository = await inspectRepository(root);
  const mirror = await openMirror({ dir: join(scratch.path, 'mirror.git'), repository });
  const [path, bare] = [join(scratch.path, 'workspace'), join(scratch.path, 'clone')];
  const create = await prepare({
    scratch: scratch.path,
    options: { mirror, path, commit: repository.head, branch: 'task' },
  });
  const times = await alternate(
    ROUNDS,
    async () => {
      await rm(path, { recursive: true, force: true });
      return create();
    },
    async () => {
      await rm(bare, { recursive: true, force: true });
      return timed(async () => {
        await runTool(['git', 'clone', '--quiet', '--shared', root, bare], scratch.path);
      });
    },
  );
  const [value, ceiling] = [median(times.ours), median(times.ceiling)];
  const note = `ms: ${listed(times.ours)} against ${listed(times.ceiling)}, ratios ${listed(times.ratios, 3)}`;
  return { value, unit: 'ms', ceiling, ratio: times.ratio, note };
}
