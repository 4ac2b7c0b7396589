import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { mergeCommits } from '../src/git/merge/merge.ts';
import { openMirror } from '../src/git/mirror/mirror.ts';
import { inspectRepository } from '../src/git/read/repository.ts';
import type { Benchmark } from './benchmark.ts';
import { makeRepository, makeScratch, runTool } from './scratch.ts';
import { alternate, listed, median, timed } from './timing.ts';

const FILES = 500;
const ROUNDS = 15;

/** The cost of a merge, without gates. */
export const merge: Benchmark = {
  name: 'merge',
  summary: 'merging two branches in the mirror into a commit, against bare git merge-tree',
  target: { is: 'at most', ratio: 10 },
  async measure() {
    await using scratch = await makeScratch();
    const root = join(scratch.path, 'repository');
    await mkdir(root);
    await makeRepository(root, FILES);
    const [onto, theirs] = [await branch(root, 'onto'), await branch(root, 'theirs')];
    const mirror = await openMirror({
      dir: join(scratch.path, 'mirror.git'),
      repository: await inspectRepository(root),
    });
    const times = await alternate(
      ROUNDS,
      (round) =>
        timed(async () => {
          const merged = await mergeCommits({ mirror, onto, theirs, message: 'Merge', now: round * 1_000 });
          if (merged.kind !== 'merged') throw new Error(`The merge ended with ${merged.kind}`);
        }),
      () =>
        timed(async () => {
          await runTool(['git', `--git-dir=${mirror.dir}`, 'merge-tree', '--write-tree', onto, theirs], scratch.path);
        }),
    );
    const [value, ceiling] = [median(times.ours), median(times.ceiling)];
    const note = `ms: ${listed(times.ours, 1)} against ${listed(times.ceiling, 1)}`;
    return { value, unit: 'ms', ceiling, ratio: times.ratio, note };
  },
};

async function branch(root: string, name: string): Promise<string> {
  await runTool(['git', 'checkout', '--quiet', '-b', name, 'main'], root);
  await runTool(
    ['sh', '-c', `echo "a line" >"${name}.txt" && git add --all && git commit --quiet --message=${name}`],
    root,
  );
  return (await runTool(['git', 'rev-parse', 'HEAD'], root)).trim();
}
