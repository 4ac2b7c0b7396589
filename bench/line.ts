import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_LINE_BYTES } from '../src/engine/attempt/attempt-output.ts';
import { lineReader } from '../src/process/lines.ts';
import { tail } from '../src/process/tail.ts';
import type { Benchmark } from './benchmark.ts';
import { makeScratch } from './scratch.ts';
import { alternate, listed, median, processorTime } from './timing.ts';

const MEGABYTE = 1024 * 1024;
const LONG = 32 * MEGABYTE;
const SHORT = MEGABYTE;
const ROUNDS = 9;
/** The short line is measured over as many bytes as the long one; both are warm. */
const REPEATS = LONG / SHORT;

/** Whether one very long line is read in linear time. */
export const line: Benchmark = {
  name: 'line',
  summary: 'reading a line of 32 MB through tail and line reader, against one of 1 MB',
  target: { is: 'at most', ratio: 40 },
  async measure() {
    await using scratch = await makeScratch();
    const [long, short] = [join(scratch.path, 'long'), join(scratch.path, 'short')];
    await writeFile(long, `${'x'.repeat(LONG)}\n`);
    await writeFile(short, `${'x'.repeat(SHORT)}\n`);
    await readShort(short);
    await readLine(long, LONG);
    const times = await alternate(
      ROUNDS,
      () => processorTime(() => readLine(long, LONG)),
      async () => (await processorTime(() => readShort(short))) / REPEATS,
    );
    const [value, ceiling] = [median(times.ours), median(times.ceiling)];
    const note = `read as the engine does: ${MAX_LINE_BYTES / MEGABYTE} MB of a line are kept, the rest is counted; processor time in ms: ${listed(times.ours, 1)} against ${listed(times.ceiling, 1)}`;
    return { value, unit: 'ms', ceiling, ratio: times.ratio, note };
  },
};

async function readShort(file: string): Promise<void> {
  for (let time = 0; time < REPEATS; time += 1) await readLine(file, SHORT);
}

async function readLine(file: string, bytes: number): Promise<void> {
  const reader = lineReader({ maxLineBytes: MAX_LINE_BYTES });
  const closing = new AbortController();
  let read = 0;
  const following = tail({
    file,
    from: 0,
    signal: closing.signal,
    onChunk: (chunk) => {
      for (const found of reader.push(chunk)) read += found.text.length + found.truncatedBytes;
    },
    onTruncated: () => {
      throw new Error(`${file} shrank`);
    },
  });
  await following.drained();
  following.close();
  if (read !== bytes) throw new Error(`${read} of ${bytes} bytes were read`);
}
