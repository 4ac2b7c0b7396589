import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { variants } from '../support/variants.ts';
import { findBarriers } from './support/accessibility.ts';
import { collectConsoleErrors, openBrowser } from './support/browser.ts';
import { serveScratch } from './support/scratch-server.ts';

const PAGES = [
  '/inbox',
  '/board',
  '/history',
  '/search?q=prices',
  '/usage?by=role',
  '/models',
  '/models?view=routes',
  '/templates',
  '/knowledge',
  '/watch',
  '/batches',
  '/hosts',
  '/settings',
  '/settings?view=browser',
  '/start?recipe=job',
];
const NARROW = { width: 360, height: 740 };
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

describe('every page except those of runs', () => {
  it.each(variants(['light'], ['dark']))(
    'fits a narrow %s screen, is accessible, and violates no content policy',
    async (colorScheme) => {
      await using served = await serveScratch({
        files: { 'readme.md': '# A project\n', '.manyhands/batches/nightly.yaml': 'items:\n  - Check the links\n' },
      });
      await served.scratch.mh(['do', 'Add prices', '--rehearse', '--plan-only']);
      const context = await browser.newContext({ locale: 'en-US', colorScheme, viewport: NARROW });
      const page = await served.enter(context);
      const consoleErrors = collectConsoleErrors(page);
      const found: string[] = [];
      for (const path of PAGES) {
        await page.goto(`${served.url}${path}`);
        found.push(...(await findBarriers(page, path)));
      }
      expect(found).toEqual([]);
      expect(consoleErrors).toEqual([]);
      await context.close();
    },
  );
});
