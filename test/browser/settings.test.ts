import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from './support/browser.ts';
import { serveScratch } from './support/scratch-server.ts';

const CONFIG = '# How we work.\nlimits:\n  agents: 8 # the machine is small\n';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

describe('the settings of a project', () => {
  it('are changed in a form that keeps the comments of the file and concurrent changes', async () => {
    await using served = await serveScratch({
      files: { 'readme.md': '# A project\n', '.manyhands/config.yaml': CONFIG },
    });
    const file = join(served.scratch.repo, '.manyhands', 'config.yaml');
    const context = await browser.newContext({ locale: 'en-US' });
    const page = await served.enter(context);
    await page.goto(`${served.url}/settings?dir=${encodeURIComponent(served.scratch.repo)}`);
    await page.getByLabel('Find a setting').fill('limits.agents');
    const agents = page.getByLabel('Agents', { exact: true });
    await expect.poll(() => agents.inputValue()).toBe('8');
    await page.getByText('set in this project').first().waitFor();

    await agents.fill('0');
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('alert')
      .getByText(/limits\.agents/)
      .first()
      .waitFor();
    expect(readFileSync(file, 'utf8')).toBe(CONFIG);

    await agents.fill('9');
    writeFileSync(file, `${CONFIG}land: merge\n`);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: /Reload the file/ }).click();
    await page.getByRole('button', { name: 'All my projects' }).click();
    await expect.poll(() => page.getByLabel('Find a setting').inputValue()).toBe('');
    await page.getByRole('button', { name: 'Project', exact: true }).click();
    await page.getByLabel('Find a setting').fill('limits.agents');
    await expect.poll(() => agents.inputValue()).toBe('9');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Saved to/).waitFor();
    expect(readFileSync(file, 'utf8')).toBe(`${CONFIG.replace('8', '9')}land: merge\n`);

    await page.getByRole('button', { name: 'File', exact: true }).click();
    const text = page.getByRole('textbox', { name: 'File content' });
    await expect.poll(() => text.inputValue()).toContain('# the machine is small');
    writeFileSync(file, 'limits: [\n');
    await page.reload();
    await page.getByText('This file cannot be used').waitFor();
    await text.fill('limits:\n  agents: many\n');
    await page.getByRole('button', { name: 'Save file' }).click();
    await page
      .getByRole('alert')
      .getByText(/limits\.agents/)
      .first()
      .waitFor();
    expect(readFileSync(file, 'utf8')).toBe('limits: [\n');
    await text.fill('limits:\n  agents: 7\n');
    await page.getByRole('button', { name: 'Save file' }).click();
    await page.getByText('This file cannot be used').waitFor({ state: 'detached' });
    expect(readFileSync(file, 'utf8')).toBe('limits:\n  agents: 7\n');
    await page.getByRole('button', { name: 'This browser' }).click();
    await page.getByRole('button', { name: 'Dark' }).click();
    await page.reload();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await page.getByRole('button', { name: 'Server' }).click();
    await page.getByRole('button', { name: 'Send a test message' }).click();
    await page.getByText('No receiver is configured.').waitFor();
    await context.close();
  });
});
