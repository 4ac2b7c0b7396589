import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { collectConsoleErrors, DESKTOP, openBrowser } from './support/browser.ts';
import { serveScratch } from './support/scratch-server.ts';

const TASKS = `tasks:
  - { id: login, title: Login page, description: Add it }
  - { id: prices, title: Price list, description: Add it }
  - { id: basket, title: Basket, description: Add it }
  - { id: receipt, title: Receipt, description: Print it, depends_on: [basket] }
`;
/** It works until the test lets it end. */
const AGENT = '#!/bin/sh\necho "Reading the code"\nwhile [ ! -e "$HOME/go" ]; do sleep 0.2; done\ndate > "$$.txt"\n';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

it('shows tasks as cards by state, and drags queued ones with the mouse into another order', async () => {
  await using served = await serveScratch({ files: { 'tasks.yaml': TASKS, 'agent.sh': AGENT } });
  const { mh, root } = served.scratch;
  const args = ['run', 'tasks.yaml', '--agent', 'command:./agent.sh', '--sequential', '--title', 'Shop', '--detach'];
  expect((await mh(args)).code).toBe(0);
  const context = await browser.newContext({ locale: 'en-US', viewport: DESKTOP });
  const page = await served.enter(context);
  const consoleErrors = collectConsoleErrors(page);
  await page.goto(`${served.url}/board`);
  await card(page, 'running', 'Login page').getByText('Reading the code').waitFor({ timeout: 30_000 });
  await expect.poll(() => titles(page, 'queued')).toEqual(['Price list', 'Basket', 'Receipt']);
  await card(page, 'queued', 'Receipt').getByText('Waits for basket').waitFor();

  await drag(page, card(page, 'queued', 'Basket'), card(page, 'queued', 'Price list'));
  await expect.poll(() => titles(page, 'queued')).toEqual(['Basket', 'Price list', 'Receipt']);
  await card(page, 'queued', 'Basket').getByText('priority 1').waitFor();
  await page.getByRole('button', { name: 'Start Price list earlier' }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => titles(page, 'queued')).toEqual(['Price list', 'Basket', 'Receipt']);

  await page.getByRole('button', { name: 'Runs', exact: true }).click();
  await card(page, 'running', 'Shop').getByText('0 / 4').waitFor();
  await page.getByRole('button', { name: 'Tasks', exact: true }).click();
  writeFileSync(join(root, 'go'), '');
  await expect.poll(() => titles(page, 'done'), { timeout: 30_000 }).toHaveLength(4);
  expect(await titles(page, 'queued')).toEqual([]);
  expect(await titles(page, 'landed')).toEqual([]);
  // 4: done, and then landed, without any check.
  expect((await mh(['wait'])).code).toBe(4);
  expect((await mh(['land'])).code).toBe(4);
  await expect.poll(() => titles(page, 'landed'), { timeout: 30_000 }).toHaveLength(4);
  expect(await titles(page, 'done')).toEqual([]);
  await card(page, 'landed', 'Receipt').getByRole('link', { name: 'Receipt' }).click();
  await page.waitForURL(/\/runs\/\w+\/tasks\//);
  expect(consoleErrors).toEqual([]);
  await context.close();
});

function column(page: Page, name: string): Locator {
  return page.getByRole('region', { name, exact: true });
}

function card(page: Page, of: string, title: string): Locator {
  return column(page, of)
    .getByRole('listitem')
    .filter({ has: page.getByRole('link', { name: title, exact: true }) });
}

function titles(page: Page, of: string): Promise<string[]> {
  return column(page, of).locator('li > a').allTextContents();
}

/** With the mouse, as a person does it. */
async function drag(page: Page, moved: Locator, onto: Locator): Promise<void> {
  const [from, to] = [await moved.boundingBox(), await onto.boundingBox()];
  if (from === null || to === null) throw new Error('It is not on screen');
  await page.mouse.move(from.x + from.width - 12, from.y + 12);
  await page.mouse.down();
  await page.mouse.move(from.x + from.width - 12, from.y - 4, { steps: 4 });
  await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 8 });
  await page.mouse.up();
}
