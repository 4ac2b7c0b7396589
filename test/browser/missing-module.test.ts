import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TESTS_ALL } from '../support/variants.ts';
import { openBrowser } from './support/browser.ts';
import { type ScratchServer, serveScratch } from './support/scratch-server.ts';
import { serveDashboard } from './support/served.ts';

/** The page tries to connect in pauses of up to 15 seconds. */
const BACK = { timeout: 60_000 };

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

describe('a view whose module could not be fetched', () => {
  it('shows an error while the server is down, and is shown at the same address when it is back', async () => {
    await using served = await serveScratch({ files: { 'readme.md': '# A project\n' } });
    await using context = await browser.newContext({ locale: 'en-US' });
    const page = await openRun(served, context);
    process.kill(served.pid, 'SIGKILL');
    await page.getByText('Not connected').waitFor();
    await page.getByRole('link', { name: 'Timeline' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'could not be loaded' });
    await alert.getByRole('button', { name: 'Try again' }).click();
    const place = page.url();
    await serveDashboard(served.scratch, Number(new URL(served.url).port));
    await timelineRows(page).first().waitFor(BACK);
    expect(page.url()).toBe(place);
    expect(await alert.count()).toBe(0);
  });

  it.runIf(TESTS_ALL)('can be a whole page', async () => {
    await using served = await serveScratch({ files: { 'readme.md': '# A project\n' } });
    await using context = await browser.newContext({ locale: 'en-US' });
    const page = await openRun(served, context);
    process.kill(served.pid, 'SIGKILL');
    await page.getByText('Not connected').waitFor();
    await page.getByRole('link', { name: 'Usage', exact: true }).click();
    await page.getByText('could not be loaded').waitFor();
    await serveDashboard(served.scratch, Number(new URL(served.url).port));
    await page.getByRole('heading', { name: 'Usage' }).waitFor(BACK);
  });

  it('is loaded again soon, although the connection was never lost', async () => {
    await using served = await serveScratch({ files: { 'readme.md': '# A project\n' } });
    await using context = await browser.newContext({ locale: 'en-US' });
    const page = await openRun(served, context);
    await page.route(/part-timeline-/, (route) => route.abort(), { times: 1 });
    await page.getByRole('link', { name: 'Timeline' }).click();
    await timelineRows(page).first().waitFor();
  });

  it('is not reloaded again and again, and is shown when the user tries again', async () => {
    await using served = await serveScratch({ files: { 'readme.md': '# A project\n' } });
    await using context = await browser.newContext({ locale: 'en-US' });
    const page = await openRun(served, context);
    let requests = 0;
    await page.route(/part-timeline-/, (route) => {
      requests += 1;
      return route.abort();
    });
    let loads = 0;
    page.on('load', () => {
      loads += 1;
    });
    await page.getByRole('link', { name: 'Timeline' }).click();
    await expect.poll(() => loads).toBe(1);
    const before = requests;
    await expect.poll(() => requests).toBeGreaterThan(before);
    const alert = page.getByRole('alert').filter({ hasText: 'could not be loaded' });
    await alert.waitFor();
    await page.waitForTimeout(2_500);
    expect(loads).toBe(1);
    await page.unroute(/part-timeline-/);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await timelineRows(page).first().waitFor();
  });
});

describe('a page whose own files could not be fetched', () => {
  it.each([/part-chunk-/, /\.css$/])('is loaded again: %s', async (file) => {
    await using served = await serveScratch({ files: { 'readme.md': '# A project\n' } });
    await using context = await browser.newContext({ locale: 'en-US' });
    await context.route(file, (route) => route.abort('internetdisconnected'), { times: 1 });
    const page = await served.enter(context);
    await page.getByRole('button', { name: 'Rehearse now' }).waitFor();
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await expect.poll(background).not.toBe('rgba(0, 0, 0, 0)');
  });
});

describe('a page that fails', () => {
  it('shows its error only at its own address', async () => {
    await using served = await serveScratch({ files: { 'readme.md': '# A project\n' } });
    await using context = await browser.newContext({ locale: 'en-US' });
    const page = await served.enter(context);
    await page.route(/\/api\/usage/, (route) => route.fulfill({ json: 7 }));
    await page.goto(`${served.url}/usage`);
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await page.getByRole('link', { name: 'Home', exact: true }).click();
    await page.getByRole('button', { name: 'Rehearse now' }).waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });
});

describe('a run that could not be loaded because the server was down', () => {
  it.runIf(TESTS_ALL)('is loaded when the server is back', async () => {
    await using served = await serveScratch({ files: { 'readme.md': '# A project\n' } });
    await using context = await browser.newContext({ locale: 'en-US' });
    const page = await openRun(served, context);
    await page.getByRole('link', { name: 'Home', exact: true }).click();
    const link = page.locator('main').getByRole('link', { name: 'Look at the readme' }).first();
    await link.waitFor();
    process.kill(served.pid, 'SIGKILL');
    await page.getByText('Not connected').waitFor();
    await link.click();
    await page.getByRole('alert').getByText('The server cannot be reached').waitFor();
    await serveDashboard(served.scratch, Number(new URL(served.url).port));
    await page.getByRole('navigation', { name: 'Run views' }).waitFor(BACK);
  });
});

/** A finished run, seen as a list of its tasks: no other view of it has been loaded. */
async function openRun(served: ScratchServer, context: BrowserContext): Promise<Page> {
  await served.scratch.mh(['job', 'Look at the readme', '--rehearse']);
  const page = await served.enter(context);
  const link = page.getByRole('link', { name: 'Look at the readme' }).first();
  const run = await link.getAttribute('href');
  await page.goto(`${served.url}${run}?view=tasks`);
  await link.waitFor();
  return page;
}

function timelineRows(page: Page) {
  return page.getByRole('region', { name: 'Timeline' }).getByRole('listitem');
}
