import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeScratch, type Scratch } from '../support/scratch.ts';
import { openBrowser } from './support/browser.ts';
import { type ServedPage, serveDashboard } from './support/served.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

describe('a view whose module could not be fetched', () => {
  it('says so while the server is gone, and is shown at the same place when it is back', async () => {
    await using scratch = await makeScratch({ files: { 'readme.md': '# A project\n' } });
    const served = await serveDashboard(scratch, 0);
    const page = await openRun(scratch, served);
    process.kill(served.pid, 'SIGKILL');
    await page.getByText('Not connected').waitFor();
    await page.getByRole('link', { name: 'Timeline' }).click();
    const trouble = page.getByRole('alert').filter({ hasText: 'could not be loaded' });
    await trouble.getByRole('button', { name: 'Try again' }).click();
    const place = page.url();
    await serveDashboard(scratch, Number(new URL(served.url).port));
    await timelineRows(page).first().waitFor();
    expect(page.url()).toBe(place);
    expect(await trouble.count()).toBe(0);
    await page.context().close();
  });

  it('may be a whole page, which is shown in the same way', async () => {
    await using scratch = await makeScratch({ files: { 'readme.md': '# A project\n' } });
    const served = await serveDashboard(scratch, 0);
    const page = await openRun(scratch, served);
    process.kill(served.pid, 'SIGKILL');
    await page.getByText('Not connected').waitFor();
    await page.getByRole('link', { name: 'Usage', exact: true }).click();
    await page.getByText('could not be loaded').waitFor();
    await serveDashboard(scratch, Number(new URL(served.url).port));
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
    await page.context().close();
  });

  it('is shown when a person asks for it again, where the connection was never lost', async () => {
    await using scratch = await makeScratch({ files: { 'readme.md': '# A project\n' } });
    const served = await serveDashboard(scratch, 0);
    const page = await openRun(scratch, served);
    await page.route(/part-timeline-/, (route) => route.abort());
    await page.getByRole('link', { name: 'Timeline' }).click();
    const trouble = page.getByRole('alert').filter({ hasText: 'could not be loaded' });
    await trouble.waitFor();
    await page.unroute(/part-timeline-/);
    await trouble.getByRole('button', { name: 'Try again' }).click();
    await timelineRows(page).first().waitFor();
    await page.context().close();
  });
});

describe('a run that could not be read because the server was gone', () => {
  it('is read when the server is back', async () => {
    await using scratch = await makeScratch({ files: { 'readme.md': '# A project\n' } });
    const served = await serveDashboard(scratch, 0);
    const page = await openRun(scratch, served);
    await page.getByRole('link', { name: 'Home', exact: true }).click();
    const link = page.locator('main').getByRole('link', { name: 'Look at the readme' }).first();
    await link.waitFor();
    process.kill(served.pid, 'SIGKILL');
    await page.getByText('Not connected').waitFor();
    await link.click();
    await page.getByRole('alert').getByText('The server cannot be reached').waitFor();
    await serveDashboard(scratch, Number(new URL(served.url).port));
    await page.getByRole('navigation', { name: 'Ways to look at the run' }).waitFor();
    await page.context().close();
  });
});

/** A finished run, seen as a list of its tasks: no other view of it has been loaded. */
async function openRun(scratch: Scratch, served: ServedPage): Promise<Page> {
  await scratch.mh(['job', 'Look at the readme', '--rehearse']);
  const page = await (await browser.newContext({ locale: 'en-US' })).newPage();
  await page.goto(await served.link());
  await page.getByRole('link', { name: 'Look at the readme' }).first().waitFor();
  const run = await page.getByRole('link', { name: 'Look at the readme' }).first().getAttribute('href');
  await page.goto(`${served.url}${run}?view=tasks`);
  await page.getByRole('link', { name: 'Look at the readme' }).first().waitFor();
  return page;
}

function timelineRows(page: Page) {
  return page.getByRole('region', { name: 'Timeline' }).getByRole('listitem');
}
