import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectConsoleErrors, openBrowser } from './support/browser.ts';
import { serveScratch } from './support/scratch-server.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

describe('a viewer', () => {
  it('sees a banner, sends no changes by reading, and gets a notice when acting', async () => {
    await using served = await serveScratch({ files: { 'readme.md': '# A project\n' } });
    await served.scratch.mh(['job', 'Look at the readme', '--rehearse']);
    const token = (await served.scratch.mh(['token', '--viewer'])).stdout.trim();
    const page = await (await browser.newContext({ locale: 'en-US' })).newPage();
    await page.goto(served.url);
    await page.getByRole('textbox').fill(token);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('You are logged in as a viewer').waitFor();
    const consoleErrors = collectConsoleErrors(page);
    const requests: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') requests.push(`${request.method()} ${request.url()}`);
    });
    await page
      .getByRole('link', { name: /Look at the readme/ })
      .first()
      .click();
    await page.waitForURL(/\/runs\//);
    await page.getByText('Details', { exact: true }).click();
    await page.getByRole('button', { name: 'Flag' }).click();
    await page.getByText('A viewer cannot do this').waitFor();
    expect(requests).toEqual([]);
    expect(consoleErrors).toEqual([]);
  });

  it('is not what an operator sees in the banner', async () => {
    await using served = await serveScratch({ files: { 'readme.md': '# A project\n' } });
    const page = await served.enter(await browser.newContext({ locale: 'en-US' }));
    expect(await page.getByText('You are logged in as a viewer').count()).toBe(0);
  });
});
