import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { collectConsoleErrors, DESKTOP, openBrowser } from './support/browser.ts';
import { serveScratch } from './support/scratch-server.ts';

/** It works until the test lets it end. */
const WORKING = '#!/bin/sh\necho "Reading the code"\nwhile [ ! -e "$HOME/go" ]; do sleep 0.2; done\nexit 1\n';
/** It works until it is stopped. */
const ENDLESS = '#!/bin/sh\necho "Counting the stock"\nwhile :; do sleep 0.2; done\n';
/** A browser without a window denies desktop notifications; this stand-in asks as a browser does, and records what it shows. */
const RECORD = `
  window.shownOnDesktop = [];
  window.Notification = class {
    static permission = localStorage.getItem('test.permission') ?? 'default';
    static async requestPermission() {
      localStorage.setItem('test.permission', 'granted');
      return (this.permission = 'granted');
    }
    constructor(title, { body }) {
      window.shownOnDesktop.push({ title, body });
      window.lastOnDesktop = this;
    }
  };`;
const HIDE = "Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' })";
const Shown = z.array(z.object({ title: z.string(), body: z.string() }));

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

it('shows on the desktop what needs the user while the page is hidden, and stops everything at a second Enter', async () => {
  await using served = await serveScratch({ files: { 'working.sh': WORKING, 'endless.sh': ENDLESS } });
  const { mh, root } = served.scratch;
  const start = (title: string, agent: string) =>
    mh(['job', title, '--write', '--agent', `command:./${agent}.sh`, '--retry', 'none', '--detach']);
  const context = await browser.newContext({ locale: 'en-US', viewport: DESKTOP });
  await context.addInitScript(RECORD);
  const page = await served.enter(context);
  const consoleErrors = collectConsoleErrors(page);
  await page.goto(`${served.url}/settings?view=browser`);
  await page.getByRole('checkbox', { name: 'Desktop notifications' }).check();

  // What can be seen is not shown twice; what happens behind another window is shown on the desktop.
  await page.goto(served.url);
  await start('Sort the shelf', 'working');
  await page.getByText('Reading the code').first().waitFor({ timeout: 60_000 });
  expect(await shownOnDesktop(page)).toEqual([]);
  await page.evaluate(HIDE);
  writeFileSync(join(root, 'go'), '');
  await expect
    .poll(() => shownOnDesktop(page), { timeout: 60_000 })
    .toEqual([{ title: 'Manyhands', body: expect.stringContaining('Sort the shelf failed') }]);
  await page.evaluate('window.lastOnDesktop.onclick()');
  await page.getByRole('heading', { level: 1, name: 'Sort the shelf' }).waitFor();

  // Enter that is held down stops nothing; a second press does, in all runs.
  await page.goto(served.url);
  for (const title of ['Count the stock', 'Count the coins']) await start(title, 'endless');
  await expect.poll(() => page.getByText('Counting the stock').count(), { timeout: 60_000 }).toBe(2);
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(new URL(request.url()).pathname);
  });
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('stop everything');
  await page.getByRole('option', { name: /Stop everything/ }).dblclick();
  await page.getByRole('option', { name: /Press Enter again: Stop everything/ }).waitFor();
  expect(sent).toEqual([]);
  await page.getByRole('combobox').fill('stop everything now');
  await page.getByRole('combobox').fill('stop everything');
  for (let repeats = 0; repeats < 4; repeats += 1) await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  await page.getByRole('option', { name: /Press Enter again: Stop everything/ }).waitFor();
  expect(sent).toEqual([]);
  await page.keyboard.press('Enter');
  for (const title of ['Count the stock', 'Count the coins'])
    await page
      .getByRole('region', { name: 'Recent' })
      .getByRole('listitem')
      .filter({ hasText: title })
      .getByText('cancelled by a person')
      .waitFor({ timeout: 60_000 });
  await page.getByText('No run is active.').waitFor();
  expect(consoleErrors).toEqual([]);
  await context.close();
});

async function shownOnDesktop(page: Page): Promise<z.infer<typeof Shown>> {
  return Shown.parse(await page.evaluate('window.shownOnDesktop'));
}
