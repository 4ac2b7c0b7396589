import type { BrowserContext, Page } from 'playwright-core';
import { z } from 'zod';
import type { Benchmark } from './benchmark.ts';
import { openBrowser } from './browser.ts';
import { type LiveStage, openLiveStage } from './live-stage.ts';
import { makeScratch } from './scratch.ts';
import { openHall, QUICK, WHOLE } from './streams.ts';
import { quantile } from './timing.ts';

const LATEST_MS = 250;
const MAX_MEMORY_MB = 300;
const LARGEST_FIRST_SCREEN_KB = 500;
/** The frame of a busy page may come late a few times; fewer rows than this would show nothing. */
const FEWEST_ROWS = 20;
const RunOrder = z.object({ state: z.object({ order: z.array(z.string()).min(1) }) });

/** Notes for each row that enters the page how long ago the server had it. */
const WATCH = `
  window.delays = [];
  const seen = new Set();
  new MutationObserver(() => {
    const now = Date.now();
    for (const row of document.querySelectorAll('[aria-label="Transcript"] time')) {
      if (seen.has(row.dateTime + row.parentElement.textContent)) continue;
      seen.add(row.dateTime + row.parentElement.textContent);
      window.delays.push(now - Date.parse(row.dateTime));
    }
  }).observe(document.body, { subtree: true, childList: true, characterData: true });`;

/** What one who looks gets: how soon, how much at first, and what it costs the server. */
export const page: Benchmark = {
  name: 'page',
  summary: `a real page that shows one of ${WHOLE.agents} live agents while ${WHOLE.clients} clients watch: rows in the page within ${LATEST_MS} ms (p99), first screen of ${LARGEST_FIRST_SCREEN_KB} KB, server of ${MAX_MEMORY_MB} MB; the worst of them against its bound`,
  target: { is: 'at most', ratio: 1 },
  async measure(isQuick) {
    const size = isQuick ? QUICK : WHOLE;
    await using scratch = await makeScratch();
    await using stage = await openLiveStage(scratch.path, size.agents);
    const browser = await openBrowser();
    try {
      const context = await browser.newContext();
      const firstScreenKb = await openHome(context, stage);
      const shown = await openTask(context, stage);
      const hall = await openHall(size, { ...stage, url: `${stage.url}/api/runs/${stage.run}/logs?follow=true` });
      for (let round = 0; round < size.rounds; round += 1) await hall.talk();
      hall.close();
      const delays = z.array(z.number()).parse(await shown.evaluate('window.delays'));
      if (delays.length < FEWEST_ROWS) throw new Error(`Only ${delays.length} rows came into the page`);
      const [late, memory] = [quantile(delays, 0.99), await stage.memoryMb()];
      const shares = [late / LATEST_MS, memory / MAX_MEMORY_MB, firstScreenKb / LARGEST_FIRST_SCREEN_KB];
      const ratio = Math.max(...shares);
      const note = `${delays.length} rows entered the page, p50 ${quantile(delays, 0.5).toFixed(0)} ms, p99 ${late.toFixed(0)} ms; first screen ${firstScreenKb.toFixed(0)} KB unpacked; server at most ${memory.toFixed(0)} MB`;
      return { value: ratio, unit: 'of its bound', ceiling: 1, ratio, note };
    } finally {
      await browser.close();
    }
  },
};

/** Logs in and shows home; gives the size of all files that takes. */
async function openHome(context: BrowserContext, stage: LiveStage): Promise<number> {
  const home = await context.newPage();
  const files = new Set<string>();
  await home.goto(await stage.link());
  await home.waitForURL(`${stage.url}/`);
  home.on('request', (request) => {
    if (!request.url().includes('/api/')) files.add(request.url());
  });
  await home.reload();
  await home.locator('main article').first().waitFor();
  await home.close();
  const sizes = await Promise.all(
    [...files].map(async (url) => (await (await fetch(url, { headers: headersOf(stage) })).arrayBuffer()).byteLength),
  );
  return sizes.reduce((sum, bytes) => sum + bytes, 0) / 1024;
}

async function openTask(context: BrowserContext, stage: LiveStage): Promise<Page> {
  const answer = await fetch(`${stage.url}/api/runs/${stage.run}/state`, { headers: headersOf(stage) });
  const [task = ''] = RunOrder.parse(await answer.json()).state.order;
  const shown = await context.newPage();
  await shown.goto(`${stage.url}/runs/${stage.run}/tasks/${encodeURIComponent(task)}`);
  await shown.locator('main h1').first().waitFor();
  await shown.evaluate(WATCH);
  return shown;
}

function headersOf({ token }: LiveStage): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}
