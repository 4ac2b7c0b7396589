import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { attemptId } from '../src/schema/ids.ts';
import { openSqliteStore } from '../src/store/sqlite/open.ts';
import type { Store } from '../src/store/store.ts';
import { realWorld } from '../src/world.ts';
import { bigRunHistory, storeHistory } from '../test/support/big-run.ts';
import type { Benchmark } from './benchmark.ts';
import { openBrowser } from './browser.ts';
import { makeScratch } from './scratch.ts';
import { homeIn, serveIn } from './served.ts';
import { median } from './timing.ts';

type Size = { run: string; tasks: number; rows: number };
type PageView = { name: string; path(size: Size): string; selector: string };

const SMALL: Size = { run: 'bench001', tasks: 100, rows: 1_000 };
const LARGE: Size = { run: 'bench002', tasks: 10_000, rows: 1_000_000 };
const QUICK: Size = { ...LARGE, tasks: 1_000, rows: 20_000 };
const ROUNDS = 3;
const BATCH_ROWS = 5_000;
const MAX_MEMORY_MB = 300;
const TASK = 'implement%2F0';
const PAGE_VIEWS: readonly PageView[] = [
  { name: 'timeline', path: ({ run }) => `/runs/${run}`, selector: '[aria-label="Timeline"] li' },
  { name: 'graph', path: ({ run }) => `/runs/${run}?view=graph`, selector: '.react-flow__node' },
  { name: 'tasks', path: ({ run }) => `/runs/${run}?view=tasks`, selector: 'main a[href*="/tasks/"]' },
  { name: 'events', path: ({ run }) => `/runs/${run}?view=events`, selector: 'main p time' },
  { name: 'transcript', path: ({ run }) => `/runs/${run}/tasks/${TASK}`, selector: '[aria-label="Transcript"] time' },
  {
    name: 'a row in the middle',
    path: ({ run, rows }) => `/runs/${run}/tasks/${TASK}?row=${rows / 2}`,
    selector: '[aria-label="Transcript"] time',
  },
];

/** Whether a page of a very large run is usable as soon as one of a small run. */
export const vast: Benchmark = {
  name: 'vast',
  summary: `pages of a run of ${LARGE.tasks} tasks with a transcript of ${LARGE.rows} rows until they can be used, against one of ${SMALL.tasks} and ${SMALL.rows}: the slowest of them`,
  target: { is: 'at most', ratio: 12 },
  async measure(isQuick) {
    const large = isQuick ? QUICK : LARGE;
    await using scratch = await makeScratch();
    await mkdir(homeIn(scratch.path), { recursive: true });
    {
      await using store = await openSqliteStore({ file: join(homeIn(scratch.path), 'manyhands.db'), world: realWorld });
      for (const size of [SMALL, large]) await fill(store, size, join(scratch.path, 'repository'));
    }
    await using served = await serveIn(scratch.path);
    const browser = await openBrowser();
    try {
      const page = await (await browser.newContext()).newPage();
      await page.goto(await served.link());
      await page.waitForURL(`${served.url}/`);
      const measured: { name: string; value: number; ceiling: number }[] = [];
      for (const view of PAGE_VIEWS) {
        const of = (size: Size) => timeOf(page, `${served.url}${view.path(size)}`, view.selector);
        measured.push({ name: view.name, ceiling: await of(SMALL), value: await of(large) });
      }
      const memory = await served.memoryMb();
      const worst = measured.reduce((one, other) =>
        other.value / other.ceiling > one.value / one.ceiling ? other : one,
      );
      const all = measured.map(
        ({ name, value, ceiling }) => `${name} ${value.toFixed(0)} against ${ceiling.toFixed(0)}`,
      );
      const note = `${worst.name}; ${all.join(', ')}; server at most ${memory.toFixed(0)} MB (${MAX_MEMORY_MB} are allowed)`;
      return { ...worst, unit: 'ms', ratio: worst.value / worst.ceiling, note };
    } finally {
      await browser.close();
    }
  },
};

async function timeOf(page: Page, address: string, selector: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await page.goto('about:blank');
    const start = performance.now();
    await page.goto(address, { waitUntil: 'commit' });
    await page.locator(selector).first().waitFor();
    times.push(performance.now() - start);
  }
  return median(times);
}

async function fill(store: Store, { run, tasks, rows }: Size, root: string): Promise<void> {
  const at = realWorld.now() - 3_600_000;
  await storeHistory(store, run, bigRunHistory({ run, tasks, root }, at));
  const attempt = attemptId(run, 1, 1);
  for (let first = 0; first < rows; first += BATCH_ROWS) {
    const batch = Array.from({ length: Math.min(BATCH_ROWS, rows - first) }, (_, index) => {
      const offset = (first + index) * 80;
      return {
        attempt,
        file: 'stdout' as const,
        offset,
        at: at + first + index,
        kind: 'text',
        text: `Line ${first + index} of the output`,
      };
    });
    await store.ingest({ attempt, rows: batch, cursors: [] });
  }
}
