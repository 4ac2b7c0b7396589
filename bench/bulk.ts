import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Benchmark } from './benchmark.ts';
import { type BulkSetup, bulkByManyhands, bulkByShell, landedSeconds, prepareBulk } from './bulk-setup.ts';
import { makeScratch, type Scratch } from './scratch.ts';
import { alternate, listed, median } from './timing.ts';

type Size = { items: number; rounds: number };

const WHOLE: Size = { items: 1_000, rounds: 3 };
const QUICK: Size = { items: 100, rounds: 1 };
const PARALLEL = 16;

/** The overhead of an item of bulk work, with no item lost. */
export const bulk: Benchmark = {
  name: 'bulk',
  summary: `${WHOLE.items} items of a no-op command, ${PARALLEL} at once, against a shell script with xargs`,
  target: { is: 'at most', ratio: 1.3 },
  async measure(isQuick) {
    const { items, rounds } = isQuick ? QUICK : WHOLE;
    await using scratch = await makeScratch();
    const processor = { ours: [] as number[], shell: [] as number[] };
    const times = await alternate(
      rounds,
      async () => {
        const { wallMs, processorMs } = await withSetup(scratch, items, bulkByManyhands);
        processor.ours.push(processorMs / items);
        return wallMs / items;
      },
      async () => {
        const { wallMs, processorMs } = await withSetup(scratch, items, bulkByShell);
        processor.shell.push(processorMs / items);
        return wallMs / items;
      },
    );
    const [ours, shell] = [median(processor.ours), median(processor.shell)];
    const note = [
      `${isQuick ? 'quick, so only a hint: ' : ''}${items} items, ${PARALLEL} at once, each limited to its own file`,
      `rounds in ms an item: ${listed(times.ours)} against ${listed(times.ceiling)}, ratios ${listed(times.ratios, 2)}`,
      `processor time in ms an item: ${listed([ours])} against ${listed([shell])}, ratio ${(ours / shell).toFixed(2)}`,
    ].join('; ');
    return { value: median(times.ours), unit: 'ms an item', ceiling: median(times.ceiling), ratio: times.ratio, note };
  },
};

/** Whether the last items of a long run take longer than the earlier ones. */
export const bulkGrowth: Benchmark = {
  name: 'bulk-growth',
  summary: `the last quarter of ${WHOLE.items} items, against the second`,
  target: { is: 'at most', ratio: 1.25 },
  async measure(isQuick) {
    const { items } = isQuick ? QUICK : WHOLE;
    await using scratch = await makeScratch();
    const quarters = await withSetup(scratch, items, async (setup) => {
      await bulkByManyhands(setup);
      return landedSeconds(setup);
    });
    const [first = Number.NaN, second = Number.NaN, third = Number.NaN, last = Number.NaN] = quarters;
    const perItem = (seconds: number) => (seconds * 4_000) / items;
    const note = `${items} items; seconds from landing to landing, by quarter: ${listed([first, second, third, last])}`;
    return { value: perItem(last), unit: 'ms an item', ceiling: perItem(second), ratio: last / second, note };
  },
};

async function withSetup<T>(
  scratch: Scratch,
  items: number,
  measureSetup: (setup: BulkSetup) => Promise<T>,
): Promise<T> {
  const setup = await prepareBulk(join(scratch.path, 'stage'), { items, parallel: PARALLEL });
  const result = await measureSetup(setup);
  await rm(setup.folder, { recursive: true, force: true, maxRetries: 5 });
  return result;
}
