import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeScratch } from '../support/scratch.ts';
import { TESTS_ALL, variants } from '../support/variants.ts';
import { findBarriers } from './support/accessibility.ts';
import { collectConsoleErrors, openBrowser } from './support/browser.ts';
import { focusByTab } from './support/keyboard.ts';
import { OPERATOR_FILES, startOpenRuns, storeEndedRuns } from './support/operator-scenario.ts';
import { serveDashboard } from './support/served.ts';

/** Requests that decide something; a page that is only looked at sends none of them. */
const DECIDING = /\/(approve|reject|land|retry|cancel|undo|pause|resume|answer|priority|messages|plan|share|stop)\b/;
const LARGEST = TESTS_ALL ? 2_000 : 250;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** The decisions of the hour: what Home calls each, and what its place has on screen. */
const PLACES = [
  { title: 'Change the check', link: 'Review the change', place: 'Approve change', reason: /check\.sh/ },
  { title: 'Offer gift cards', link: 'Review the plan', place: 'Approve plan', reason: /Waits for your approval/ },
  { title: 'Sixty parts', link: 'Review the change', place: 'Approve change', reason: /check\.sh/ },
] as const;

type State = { title: string; state: string; reason: RegExp; next: [role: 'button' | 'link', name: RegExp] };

const reading = (title: string): State => ({
  title,
  state: 'Running',
  reason: /Reading the code/,
  next: ['button', /Pause/],
});

/** Each run of the hour: the state, the reason and the next step that its page shows. */
const STATES: readonly State[] = variants<State, State>(
  [
    { title: 'Sixty parts', state: 'Running', reason: /check\.sh is modified/, next: ['link', /Review the change/] },
    { title: 'Partly done', state: 'Partly done', reason: /1 of 2 tasks failed/, next: ['button', /Retry the failed/] },
    { title: 'Write the news', state: 'Scheduled', reason: /scheduled for \d/, next: ['button', /Cancel/] },
  ],
  [
    {
      title: 'Change the check',
      state: 'Needs you',
      reason: /check\.sh is modified/,
      next: ['link', /Review the change/],
    },
    {
      title: 'Offer gift cards',
      state: 'Needs you',
      reason: /Waits for your approval/,
      next: ['button', /Approve plan/],
    },
    { title: 'Paint it', state: 'Needs you', reason: /Which colour\?/, next: ['button', /red/] },
    { title: 'All failed', state: 'Failed', reason: /1 of 2 tasks failed/, next: ['button', /Retry 2 tasks/] },
    { title: `A run of ${LARGEST} tasks`, state: 'Failed', reason: /some tasks failed/, next: ['button', /Retry 9/] },
    ...['Read the code', 'Read more', 'Read on', 'Read again'].map(reading),
  ],
);

it('leads an operator at 360 px, with the keyboard alone, to every decision, and decides nothing by accident', async () => {
  await using scratch = await makeScratch({ files: OPERATOR_FILES });
  const projects = await storeEndedRuns(scratch, LARGEST);
  const served = await serveDashboard(scratch, 0);
  await startOpenRuns(scratch, projects);

  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 360, height: 740 } });
  const page = await context.newPage();
  const decided: string[] = [];
  page.on('request', (request) => {
    const path = new URL(request.url()).pathname;
    if (request.method() !== 'GET' && DECIDING.test(path)) decided.push(path);
  });
  const consoleErrors = collectConsoleErrors(page);
  await page.goto(await served.link());
  const rows = page.getByRole('region', { name: 'Needs you' }).getByRole('listitem');
  for (const { title } of PLACES) await row(rows, title).waitFor({ timeout: 60_000 });
  await row(rows, 'Paint it').getByRole('textbox', { name: 'Answer' }).waitFor({ timeout: 60_000 });

  // Home has the reason and the next step of what failed, what works and what is scheduled.
  await row(rows, 'Partly done')
    .getByText(/one test of nine fails/)
    .first()
    .waitFor();
  await row(rows, 'Partly done').getByRole('link', { name: 'Take what is good' }).waitFor();
  for (const title of ['Partly done', 'All failed', `A run of ${LARGEST} tasks`])
    await row(rows, title).getByRole('button', { name: /Retry/ }).waitFor();
  await page.getByText('Reading the code').first().waitFor({ timeout: 60_000 });
  await page
    .getByText(/in 1h 59m|in 2h/)
    .first()
    .waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  expect(await page.getByRole('combobox', { name: 'Project' }).locator('option').count()).toBe(4);
  // Home, the badge of the Inbox and the Inbox count the same.
  const counted = await rows.count();
  await page.getByRole('link', { name: `Inbox ${counted} waiting` }).waitFor();
  await page.goto(`${served.url}/inbox`);
  const inbox = page.getByRole('region', { name: 'Inbox items' }).getByRole('listitem');
  await row(inbox, 'Partly done').getByRole('button', { name: /Retry/ }).waitFor();
  expect(await inbox.count()).toBe(counted);

  // The row of views is wider than the screen; the current one is in it.
  await page.goto(`${served.url}/runs/b0000003?view=report`);
  const current = page.getByRole('navigation', { name: 'Run views' }).getByRole('link', { name: 'Report' });
  const [left, right] = await current.evaluate((link) => {
    const box = link.getBoundingClientRect();
    return [box.left, box.right];
  });
  expect(left).toBeGreaterThanOrEqual(0);
  expect(right).toBeLessThanOrEqual(360);

  // One key press from the focused item to the page of each run, which has its state, the reason and the next step.
  for (const { title, state, reason, next } of STATES) {
    await page.goto(served.url);
    const main = page.getByRole('main');
    const link = main.getByRole('link', { name: title, exact: true }).first();
    await focusByTab(page, link);
    await page.keyboard.press('Enter');
    await main.getByRole('heading', { level: 1, name: title }).waitFor();
    await main.getByText(state, { exact: true }).first().waitFor();
    await main.getByText(reason).first().waitFor();
    const [role, name] = next;
    await focusByTab(page, main.getByRole(role, { name }).first());
    if (TESTS_ALL) expect(await findBarriers(page, title)).toEqual([]);
  }

  // The failed tasks among many: one press from the page of their run.
  if (TESTS_ALL) {
    await page.goto(`${served.url}/runs/b0000001`);
    await focusByTab(page, page.getByRole('link', { name: '9 failed tasks' }));
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: /Task 211 of the migration/ }).waitFor();
    expect(await page.getByRole('link', { name: /of the migration/ }).count()).toBe(9);
  }

  // One key press from the focused item to the place of its decision, which needs another one there.
  for (const { title, link, place, reason } of PLACES) {
    await page.goto(served.url);
    const target = row(rows, title).getByRole('link', { name: link });
    await focusByTab(page, target);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: place }).first().waitFor();
    await page.getByText(reason).first().waitFor();
    await pressEveryKey(page);
  }
  await page.goto(served.url);
  await rows.first().waitFor();
  await pressEveryKey(page);
  expect(decided).toEqual([]);

  // The decisions themselves, by keyboard.
  await page.goto(served.url);
  await focusByTab(page, row(rows, 'Paint it').getByRole('button', { name: 'red' }));
  await page.keyboard.press('Enter');
  await page.getByText('Answered', { exact: true }).waitFor();
  await focusByTab(page, row(rows, 'Offer gift cards').getByRole('link', { name: 'Review the plan' }));
  await page.keyboard.press('Enter');
  await focusByTab(page, page.getByRole('button', { name: 'Approve plan' }).first());
  await page.keyboard.press('Enter');
  await page.getByText('Approved', { exact: true }).waitFor();
  expect(decided.map((path) => path.split('/').at(-1))).toEqual(['answer', 'approve']);
  expect(consoleErrors).toEqual([]);
  writeFileSync(join(scratch.root, 'go'), '');
  await scratch.mh(['stop', '--agents']);
}, 240_000);

function row(rows: Locator, title: string): Locator {
  return rows.filter({ has: rows.page().getByRole('link', { name: title }) }).first();
}

/** Single keys, as somebody presses who thinks that another window has the focus. */
async function pressEveryKey(page: Page): Promise<void> {
  await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
  for (const key of 'abdefhiklmnopqrstuvwxyz0123456789') {
    await page.keyboard.press(key);
    await page.keyboard.press('Escape');
  }
}
