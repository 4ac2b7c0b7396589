import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from './support/browser.ts';
import { serveScratch } from './support/scratch-server.ts';

const SECONDS = 3;
/** A timer takes a few. */
const MOST_BUSY_TENTHS = 10;
/** V8 collects garbage once after the work is over, which takes long on a busy machine; what is repeated is in every window. */
const WINDOWS = 4;
const PATHS = ['/', '/inbox', '/history', '/usage'];

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** In how many tenths of a second the server made a system call. */
function busyTenths(log: string): number {
  return new Set(log.match(/\d\d:\d\d:\d\d\.\d/g)).size;
}

describe('a page that is open while nothing happens', () => {
  it.skipIf(spawnSync('strace', ['-V']).status !== 0)('sends no requests, and the server is nearly idle', async () => {
    await using served = await serveScratch({ files: { 'readme.md': '# A project\n' } });
    await served.scratch.mh(['do', 'Tidy up', '--rehearse', '--plan-only']);
    const page = await served.enter(await browser.newContext());
    const log = join(served.scratch.root, 'strace.log');
    for (const path of PATHS) {
      await page.goto(`${served.url}${path}`);
      await page.locator('main h1').first().waitFor();
      await page.waitForFunction(() => document.querySelector('[aria-label="Loading"]') === null);
      await page.waitForTimeout(1_000);
      const requests: string[] = [];
      page.on('request', (request) => requests.push(request.url()));
      const busy: number[] = [];
      while (busy.length < WINDOWS && !busy.some((tenths) => tenths < MOST_BUSY_TENTHS)) {
        spawnSync('timeout', [String(SECONDS), 'strace', '-f', '-qq', '-tt', '-o', log, '-p', String(served.pid)]);
        busy.push(busyTenths(readFileSync(log, 'utf8')));
      }
      expect(Math.min(...busy), path).toBeLessThan(MOST_BUSY_TENTHS);
      await page.evaluate('0');
      expect(requests, path).toEqual([]);
      page.removeAllListeners('request');
    }
  });
});
