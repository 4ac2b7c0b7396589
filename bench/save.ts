import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openMirror } from '../src/git/mirror/mirror.ts';
import { inspectRepository } from '../src/git/read/repository.ts';
import { saveWorkspace } from '../src/git/save/save.ts';
import { createWorkspace } from '../src/git/workspace/workspace.ts';
import type { Benchmark } from './benchmark.ts';
import { makeRepository, makeScratch, runTool } from './scratch.ts';
import { alternate, listed, median, timed } from './timing.ts';

const FILES = 3_000;
const ROUNDS = 5;
/** As the engine saves: with the limits and the author of the default settings. */
const ENGINE_OPTIONS = {
  author: { name: 'Manyhands', email: 'manyhands@localhost' },
  limits: { files: 50_000, fileBytes: 100 * 2 ** 20 },
};
/** The same durability as ours. */
const DURABLE = ['-c', 'core.fsync=objects', '-c', 'core.fsyncMethod=batch'];

/** The cost of saving an attempt that changed every file. */
export const save: Benchmark = {
  name: 'save',
  summary: `saving a workspace with ${FILES} changed files, against git add and write-tree with the same fsync`,
  target: { is: 'at most', ratio: 1.3 },
  async measure(isQuick) {
    await using scratch = await makeScratch();
    const root = join(scratch.path, 'repository');
    await mkdir(root);
    await makeRepository(root, FILES);
    const repository = await inspectRepository(root);
    const mirror = await openMirror({ dir: join(scratch.path, 'mirror.git'), repository });
    const [ours, bare] = [join(scratch.path, 'workspace'), join(scratch.path, 'clone')];
    const base = repository.head;
    const times = await alternate(
      isQuick ? 2 : ROUNDS,
      async (round) => {
        await rm(ours, { recursive: true, force: true });
        await createWorkspace({ mirror, path: ours, commit: base, branch: 'task' });
        await change(ours, `ours ${round}`);
        const ref = `refs/manyhands/attempts/bench-${round}/1`;
        return timed(async () => {
          const saved = await saveWorkspace({
            mirror,
            path: ours,
            ref,
            base,
            message: 'Work',
            exclude: [],
            ...ENGINE_OPTIONS,
          });
          if (!saved.changed || saved.problems.length > 0) throw new Error('The work was not saved');
        });
      },
      async (round) => {
        await rm(bare, { recursive: true, force: true });
        await runTool(['git', 'clone', '--quiet', '--shared', root, bare], scratch.path);
        await change(bare, `bare ${round}`);
        return timed(async () => {
          await runTool(['git', ...DURABLE, 'add', '-A'], bare);
          await runTool(['git', ...DURABLE, 'write-tree'], bare);
        });
      },
    );
    const [value, ceiling] = [median(times.ours), median(times.ceiling)];
    const note = `ms: ${listed(times.ours)} against ${listed(times.ceiling)}, ratios ${listed(times.ratios, 2)}`;
    return { value, unit: 'ms', ceiling, ratio: times.ratio, note };
  },
};

async function change(folder: string, text: string): Promise<void> {
  for (const part of await readdir(join(folder, 'src'))) {
    for (const name of await readdir(join(folder, 'src', part)))
      await writeFile(join(folder, 'src', part, name), `${name} ${text}\n`);
  }
}
