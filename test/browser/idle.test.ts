import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from './support/browser.ts';
import { serveScratch } from './support/scratch-server.ts';

const SECONDS = 3;
const PATHS = ['/', '/inbox', '/history', '/usage'];

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

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
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      spawnSync('timeout', [String(SECONDS), 'strace', '-f', '-qq', '-o', log, '-p', String(served.pid)]);
      const calls = readFileSync(log, 'utf8').trim().split('\n').length;
      expect(calls / SECONDS, path).toBeLessThan(50);
      await page.evaluate('0');
      expect(asked, path).toEqual([]);
      page.removeAllListeners('request');
    }
  });
});
