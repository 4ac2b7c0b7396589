import type { BrowserContext, Page } from 'playwright-core';
import { z } from 'zod';
import type { Benchmark } from './benchmark.ts';
import { openBrowser } from './browser.ts';
import { type LiveServer, openLiveServer } from './live-server.ts';
import { makeScratch } from './scratch.ts';
import { openAudience, QUICK, WHOLE } from './streams.ts';
import { quantile } from './timing.ts';

const LATEST_MS = 250;
const MAX_MEMORY_MB = 300;
const LARGEST_FIRST_SCREEN_KB = 420;
/** A frame of a busy page may be late a few times; fewer rows than this would be meaningless. */
const FEWEST_ROWS = 20;
const RunStateBody = z.object({ state: z.object({ order: z.array(z.string()).min(1) }) });

/** Records for each row that appears in the page how long ago the server had it. */
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

/** What a viewer gets: latency, size of the first screen, and the server's memory. */
export const page: Benchmark = {
  name: 'page',
  summary: `a real page that shows one of ${WHOLE.agents} live agents while ${WHOLE.clients} clients watch: rows in the page within ${LATEST_MS} ms (p99), first screen of ${LARGEST_FIRST_SCREEN_KB} KB, server of ${MAX_MEMORY_MB} MB; the worst of them against its bound`,
  target: { is: 'at most', ratio: 1 },
  async measure(isQuick) {
    const size = isQuick ? QUICK : WHOLE;
    await using scratch = await makeScratch();
    await using server = await openLiveServer(scratch.path, size.agents);
    const browser = await openBrowser();
    try {
      const context = await browser.newContext();
      const firstScreenKb = await openHome(context, server);
      const shown = await openTask(context, server);
      const audience = await openAudience(size, {
        ...server,
        url: `${server.url}/api/runs/${server.run}/logs?follow=true`,
      });
      for (let round = 0; round < size.rounds; round += 1) await audience.sendLines();
      audience.close();
      const delays = z.array(z.number()).parse(await shown.evaluate('window.delays'));
      if (delays.length < FEWEST_ROWS) throw new Error(`Only ${delays.length} rows came into the page`);
      const [late, memory] = [quantile(delays, 0.99), await server.memoryMb()];
      const shares = [late / LATEST_MS, memory / MAX_MEMORY_MB, firstScreenKb / LARGEST_FIRST_SCREEN_KB];
      const ratio = Math.max(...shares);
      const note = `${delays.length} rows entered the page, p50 ${quantile(delays, 0.5).toFixed(0)} ms, p99 ${late.toFixed(0)} ms; first screen ${firstScreenKb.toFixed(0)} KB unpacked; server at most ${memory.toFixed(0)} MB`;
      return { value: ratio, unit: 'of its bound', ceiling: 1, ratio, note };
    } finally {
      await browser.close();
    }
  },
};

/** Logs in and opens the home page; returns the size of all loaded files. */
async function openHome(context: BrowserContext, server: LiveServer): Promise<number> {
  const home = await context.newPage();
  const files = new Set<string>();
  await home.goto(await server.link());
  await home.waitForURL(`${server.url}/`);
  home.on('request', (request) => {
    if (!request.url().includes('/api/')) files.add(request.url());
  });
  await home.reload();
  await home.locator('main article').first().waitFor();
  await home.close();
  const sizes = await Promise.all(
    [...files].map(async (url) => (await (await fetch(url, { headers: headersOf(server) })).arrayBuffer()).byteLength),
  );
  return sizes.reduce((sum, bytes) => sum + bytes, 0) / 1024;
}

async function openTask(context: BrowserContext, server: LiveServer): Promise<Page> {
  const answer = await fetch(`${server.url}/api/runs/${server.run}/state`, { headers: headersOf(server) });
  const [task = ''] = RunStateBody.parse(await answer.json()).state.order;
  const shown = await context.newPage();
  await shown.goto(`${server.url}/runs/${server.run}/tasks/${encodeURIComponent(task)}`);
  await shown.locator('main h1').first().waitFor();
  await shown.evaluate(WATCH);
  return shown;
}

function headersOf({ token }: LiveServer): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}
