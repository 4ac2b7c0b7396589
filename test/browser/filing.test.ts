import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectConsoleErrors, openBrowser } from './support/browser.ts';
import { serveScratch } from './support/scratch-server.ts';

const BATCH = 'items:\n  - Check the links\n  - Update the changelog\n';
const MOVED = 'items:\n  - Write the changelog\n  - Check the links\n';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

describe('templates, batches and the history', () => {
  it('start jobs from a template and a batch, and let runs be flagged, renamed and found', async () => {
    await using served = await serveScratch({
      files: { 'readme.md': '# A project\n', '.manyhands/batches/nightly.yaml': BATCH },
    });
    const { repo } = served.scratch;
    const context = await browser.newContext({ locale: 'en-US' });
    const page = await served.enter(context);
    const consoleErrors = collectConsoleErrors(page);
    const here = `dir=${encodeURIComponent(repo)}`;

    await page.goto(`${served.url}/templates?${here}`);
    await page.getByRole('button', { name: 'New template' }).click();
    await page.getByLabel('Name').fill('house-style');
    await page.getByLabel('Summary').fill('How we write.');
    await page.getByLabel('Text').fill('Write short sentences.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'house-style' }).waitFor();
    expect(readFileSync(join(repo, '.manyhands', 'templates', 'house-style.md'), 'utf8')).toContain(
      'Write short sentences.',
    );
    await page.getByRole('button', { name: 'Remove' }).dblclick();
    await page.getByRole('link', { name: 'Start a job' }).click();
    await page.getByRole('heading', { name: 'New run' }).waitFor();
    expect(existsSync(join(repo, '.manyhands', 'templates', 'house-style.md'))).toBe(true);
    await expect.poll(() => page.getByLabel('Template', { exact: true }).inputValue()).toBe('house-style');
    await page.getByLabel('Task required').fill('Look at the readme');
    await page.getByLabel('Rehearse (free)').check();
    await page.getByRole('button', { name: 'Start rehearsal' }).click();
    await page.waitForURL(/\/runs\/\w+/);

    await page.goto(`${served.url}/batches?${here}`);
    await page.getByRole('button', { name: 'Edit item 2' }).click();
    await page.getByRole('form', { name: 'Edit item' }).getByLabel('Prompt').fill('Write the changelog');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('listitem').getByText('Write the changelog').waitFor();
    await page.getByRole('button', { name: 'Move item 2 up' }).click();
    await expect.poll(() => readFileSync(join(repo, '.manyhands/batches/nightly.yaml'), 'utf8')).toBe(MOVED);
    await page.getByLabel('Rehearse').check();
    await page.getByRole('button', { name: 'Start 2 jobs' }).click();
    await page.waitForURL(/\/history\?collection=/);
    await page.getByRole('table').getByRole('link', { name: 'Check the links' }).waitFor();
    await page.getByRole('table').getByRole('link', { name: 'Write the changelog' }).waitFor();
    expect(await page.getByRole('table').getByText('Look at the readme').count()).toBe(0);

    await page.goto(`${served.url}/history`);
    const row = page.getByRole('row', { name: /Look at the readme/ });
    await row.focus();
    await page.keyboard.press('f');
    await row.getByText('flagged').waitFor();
    await row.focus();
    await page.keyboard.press('x');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByLabel('New title').fill('Read the readme');
    await page.keyboard.press('Enter');
    await page.getByRole('table').getByRole('link', { name: 'Read the readme' }).waitFor();
    await page.getByLabel('Flagged').check();
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    expect(page.url()).toContain('flagged=yes');

    await page.getByRole('link', { name: 'Search', exact: true }).click();
    await served.scratch.mh(['job', 'Look once more', '--rehearse']);
    await page.getByRole('link', { name: 'History', exact: true }).click();
    await page.getByRole('table').getByRole('link', { name: 'Look once more' }).waitFor();

    await page.goto(`${served.url}/search`);
    await page.getByLabel('Search for').fill('changelog');
    await page
      .getByRole('link')
      .filter({ has: page.locator('mark') })
      .last()
      .click();
    await page.waitForURL(/\/tasks\//);

    await page.goto(`${served.url}/history`);
    await page.getByRole('button', { name: 'Archive old runs' }).click();
    await page.getByLabel('Ended runs older than').fill('0');
    await page.getByRole('button', { name: 'Preview' }).click();
    const archive = page.getByRole('button', { name: /^Archive \d+ runs$/ });
    await archive.waitFor();
    await page.getByLabel('Ended runs older than').fill('1');
    expect(await archive.count()).toBe(0);
    await page.getByLabel('Ended runs older than').fill('0');
    await page.getByRole('button', { name: 'Preview' }).click();
    await archive.click();
    await page.getByText(/^\d+ runs archived\.$/).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByLabel('Archived').check();
    await page.getByLabel('Select Look once more').check();
    await page.getByRole('button', { name: 'Restore 1 run' }).click();
    await page.getByLabel('Select Look once more').waitFor({ state: 'detached' });
    expect(consoleErrors).toEqual([]);
    await context.close();
  });
});
