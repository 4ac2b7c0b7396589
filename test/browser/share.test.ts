import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { collectConsoleErrors, openBrowser } from './support/browser.ts';
import { serveScratch } from './support/scratch-server.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

it('shares one run with a guest, who reads it and nothing else until it is revoked', async () => {
  await using served = await serveScratch({ files: { 'readme.md': '# A project\n' } });
  await served.scratch.mh(['job', 'The first job', '--rehearse']);
  await served.scratch.mh(['job', 'Another job', '--rehearse']);
  const page = await served.enter(await browser.newContext({ locale: 'en-US' }));
  await openRun(page, 'The first job');
  await page.getByText('Details', { exact: true }).click();
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByRole('button', { name: 'Create a link' }).click();
  const link = await page.getByRole('button', { name: /\/login#code=/ }).innerText();

  const guest = await (await browser.newContext({ locale: 'en-US', viewport: { width: 360, height: 740 } })).newPage();
  const consoleErrors = collectConsoleErrors(guest);
  await guest.goto(link.trim());
  await guest.getByRole('heading', { name: 'The first job' }).waitFor();
  await guest.getByText('this run is shared with you').waitFor();
  for (const view of ['Tasks', 'Changes', 'Events', 'Cost', 'Report']) {
    await guest.getByRole('navigation', { name: 'Run views' }).getByRole('link', { name: view }).click();
    await guest.waitForURL(/view=/);
  }
  await guest.getByRole('heading', { name: 'What was requested' }).waitFor();
  expect(await guest.getByRole('navigation', { name: 'Pages' }).count()).toBe(0);
  expect(await guest.getByRole('button', { name: /Rename|Share|Cancel|Land|Retry|again/ }).count()).toBe(0);
  expect(await guest.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await guest.getByRole('navigation', { name: 'Run views' }).getByRole('link', { name: 'Tasks' }).click();
  await guest.locator('a[href*="/tasks/"]').first().click();
  await guest.getByRole('tab', { name: 'Transcript' }).waitFor();
  expect(await guest.getByRole('textbox', { name: /message/i }).count()).toBe(0);
  await guest.goto(served.url);
  await guest.waitForURL(/\/runs\//);
  expect(consoleErrors).toEqual([]);

  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('button', { name: 'Revoke' }).last().click();
  await page.getByText('Revoked').waitFor();
  await guest.reload();
  await guest.getByText('This browser is not logged in').waitFor();
});

it('shows a guest the changes of a task as they happen', async () => {
  const agent = '#!/bin/sh\nwhile [ ! -e "$HOME/go" ]; do sleep 0.2; done\necho done > made.txt\n';
  await using served = await serveScratch({ files: { 'readme.md': '# A project\n', 'agent.sh': agent } });
  await served.scratch.mh(['job', 'A long job', '--write', '--agent', 'command:./agent.sh', '--detach']);
  const page = await served.enter(await browser.newContext({ locale: 'en-US' }));
  await openRun(page, 'A long job');
  await page.getByText('Details', { exact: true }).click();
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByRole('button', { name: 'Create a link' }).click();
  const link = await page.getByRole('button', { name: /\/login#code=/ }).innerText();

  const guest = await (await browser.newContext({ locale: 'en-US' })).newPage();
  await guest.goto(link.trim());
  await guest.getByRole('navigation', { name: 'Run views' }).getByRole('link', { name: 'Tasks' }).click();
  await guest.locator('a[href*="/tasks/"]').first().click();
  await guest.locator('main header').getByText('Running', { exact: true }).waitFor();
  writeFileSync(join(served.scratch.root, 'go'), '');
  await guest.locator('main header').getByText('Done', { exact: true }).waitFor();
});

async function openRun(page: Page, title: string): Promise<void> {
  await page
    .getByRole('link', { name: new RegExp(title) })
    .first()
    .click();
  await page.waitForURL(/\/runs\//);
}
