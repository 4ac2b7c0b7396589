import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openMirror } from '../src/git/mirror/mirror.ts';
import { inspectRepository } from '../src/git/read/repository.ts';
import { createWorkspace } from '../src/git/workspace/workspace.ts';
import type { Benchmark } from './benchmark.ts';
import { makeRepository, makeScratch, runTool } from './scratch.ts';
import { alternate, listed, median, timed } from './timing.ts';

const FILES = 2_000;
const ROUNDS = 9;

/** The cost of a workspace compared with a plain clone. */
export const clone: Benchmark = {
  name: 'clone',
  summary: `a workspace of ${FILES} files, against git clone --shared`,
  target: { is: 'at most', ratio: 1.3 },
  async measure() {
    await using scratch = await makeScratch();
    const root = join(scratch.path, 'repository');
    await mkdir(root);
    await makeRepository(root, FILES);
    const repository = await inspectRepository(root);
    const mirror = await openMirror({ dir: join(scratch.path, 'mirror.git'), repository });
    const [ours, bare] = [join(scratch.path, 'workspace'), join(scratch.path, 'clone')];
    const times = await alternate(
      ROUNDS,
      async () => {
        await rm(ours, { recursive: true, force: true });
        return timed(() => createWorkspace({ mirror, path: ours, commit: repository.head, branch: 'task' }));
      },
      async () => {
        await rm(bare, { recursive: true, force: true });
        return timed(async () => {
          await runTool(['git', 'clone', '--quiet', '--shared', root, bare], scratch.path);
        });
      },
    );
    const [value, ceiling] = [median(times.ours), median(times.ceiling)];
    const note = `ms: ${listed(times.ours)} against ${listed(times.ceiling)}`;
    return { value, unit: 'ms', ceiling, ratio: times.ratio, note };
  },
};
