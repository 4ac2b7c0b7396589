import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectConsoleErrors, openBrowser } from './support/browser.ts';
import { serveScratch } from './support/scratch-server.ts';

const TASKS = `tasks:
  - id: login
    title: Add a login
    description: Add a login form.
    files: []
    needs: []
`;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

describe('a new run', () => {
  it('is started, approved and found with the keyboard alone, and its draft survives a reload', async () => {
    await using served = await serveScratch({ files: { 'readme.md': '# A project\n' } });
    const context = await browser.newContext({ locale: 'en-US' });
    const page = await served.enter(context);
    const consoleErrors = collectConsoleErrors(page);
    const { keyboard } = page;

    await page.getByRole('button', { name: 'Rehearse now' }).waitFor();
    await keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Next, previous item').waitFor();
    await keyboard.press('Escape');
    await keyboard.press('c');
    await page.getByRole('heading', { name: 'New run' }).waitFor();
    await expect.poll(() => page.getByLabel('Project').inputValue()).toBe(served.scratch.repo);
    await page.getByRole('group', { name: 'Agents' }).getByText('npm install -g @openai/codex').first().waitFor();
    await page.getByRole('button', { name: 'Start', exact: true }).focus();
    await keyboard.press('Enter');
    await page.getByText('Goal is required.').waitFor();
    const goal = page.getByLabel('Goal required');
    await expect.poll(() => goal.evaluate((element) => element === document.activeElement)).toBe(true);

    await keyboard.type('Add prices <b>now</b>');
    await page.getByLabel('Plan only').focus();
    await keyboard.press('Space');
    await page.getByLabel('Rehearse (free)').focus();
    await keyboard.press('Space');
    await page.reload();
    await expect.poll(() => goal.inputValue()).toBe('Add prices <b>now</b>');
    await page.getByText(`mh do 'Add prices <b>now</b>' --plan-only --rehearse --dir ${served.scratch.repo}`).waitFor();
    await page.getByRole('button', { name: 'Start rehearsal' }).focus();
    await keyboard.press('Enter');
    await page.waitForURL(/\/runs\/\w+/);
    const run = page.url().split('/').at(-1) ?? '';

    await keyboard.press('g');
    await keyboard.press('i');
    await page.getByText('Plan to approve', { exact: true }).waitFor();
    expect(await page.title()).toBe('(1) Inbox · Manyhands');
    await page.locator('[data-row="0"]').focus();
    await keyboard.press('Enter');
    await page.getByRole('button', { name: 'Approve plan' }).focus();
    await keyboard.press('Enter');
    await page.getByText('Approved', { exact: true }).waitFor();
    await keyboard.press('g');
    await keyboard.press('i');
    await page.getByRole('heading', { name: 'Nothing needs you' }).waitFor();

    await page
      .getByRole('link', { name: /Add prices <b>now<\/b> is (done|unverified)|ended unverified/ })
      .first()
      .waitFor();
    await keyboard.press('Control+k');
    await keyboard.type('add prices');
    await page
      .getByRole('option', { name: /Add prices/ })
      .first()
      .waitFor();
    await keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/runs/${run}`));
    await keyboard.press('g');
    await keyboard.press('r');
    await page.getByRole('link', { name: 'Add prices <b>now</b>' }).first().waitFor();
    expect(consoleErrors).toEqual([]);
    await context.close();
  });

  it('reads a work file first, and shows where it has errors', async () => {
    await using served = await serveScratch({
      files: { 'tasks.yaml': TASKS, 'broken.yaml': 'tasks:\n  - id: login\n' },
    });
    const context = await browser.newContext({ locale: 'en-US' });
    const page = await served.enter(context);
    await page.goto(`${served.url}/start?recipe=tasks&dir=${encodeURIComponent(served.scratch.repo)}`);
    await page.getByLabel('Work file').fill('broken.yaml');
    await page.getByRole('button', { name: 'Read file' }).click();
    await page
      .getByText(/broken\.yaml:2:\d+/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText('The run cannot be started').waitFor();

    await page.getByLabel('Work file').fill('tasks.yaml');
    await page.getByRole('button', { name: 'Read file' }).click();
    await page.getByText('login: Add a login').waitFor();
    await page.getByLabel('Rehearse (free)').check();
    await page.getByRole('button', { name: 'Start rehearsal' }).click();
    await page.waitForURL(/\/runs\/\w+/);
    await context.close();
  });
});
