import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';
import { z } from 'zod';
import { DESKTOP, openBrowser, PHONE } from './browser.ts';
import { serveScratch } from './scratch-server.ts';
import { makeShop, playDay } from './screenshot-runs.ts';
import { type Picture, picturesOf } from './screenshot-views.ts';
import { serveDashboard } from './served.ts';

const SHOTS = fileURLToPath(new URL('../../../docs/screenshots', import.meta.url));
/** The views to take; without any, all. */
const NAMED = process.argv.slice(2);
const Shared = z.object({ link: z.string() });
const LOOKS = [
  { name: 'light', viewport: DESKTOP, colorScheme: 'light' },
  { name: 'dark', viewport: DESKTOP, colorScheme: 'dark' },
  { name: 'phone', viewport: PHONE, colorScheme: 'light' },
  { name: 'phone-dark', viewport: PHONE, colorScheme: 'dark' },
] as const;

await using scratch = await makeShop();
/** As on a machine of a user, with the sandbox that is installed. */
const served = await serveDashboard(scratch, 0, { MANYHANDS_BWRAP: 'bwrap' });
const runs = await playDay(scratch);
await using empty = await serveScratch({ files: { 'readme.md': '# A project\n' } });
mkdirSync(SHOTS, { recursive: true });
const browser = await openBrowser();
for (const { name: look, ...options } of LOOKS) {
  await using context = await browser.newContext({ locale: 'en-US', ...options });
  const page = await logIn(context, await served.link());
  for (const [name, picture] of Object.entries(picturesOf(runs)))
    if (isWanted(name)) await shoot(page, `${name}-${look}`, { ...picture, path: `${served.url}${picture.path}` });
  if (isWanted('guest')) {
    await using guests = await browser.newContext({ locale: 'en-US', ...options });
    const { link } = Shared.parse((await scratch.mh(['share', runs.done, '--json'])).json);
    await shoot(await guests.newPage(), `guest-${look}`, { path: link });
  }
  if (isWanted('getting-started')) {
    await using newcomers = await browser.newContext({ locale: 'en-US', ...options });
    await shoot(await logIn(newcomers, await empty.link()), `getting-started-${look}`, { path: empty.url });
  }
}
await browser.close();
await scratch.mh(['stop', '--agents']);

function isWanted(name: string): boolean {
  return NAMED.length === 0 || NAMED.includes(name);
}

async function logIn(context: BrowserContext, link: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  return page;
}

async function shoot(page: Page, name: string, { path, prepare }: Picture): Promise<void> {
  await page.goto(path);
  await page.locator('main h1').first().waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-label="Loading"]') === null);
  await prepare?.(page);
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(SHOTS, `${name}.png`) });
}
