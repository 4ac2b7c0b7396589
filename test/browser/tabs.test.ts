import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openBrowser, PHONE } from './support/browser.ts';
import { serveScratch } from './support/scratch-server.ts';

const TABS = 8;
const WINDOWS = 12;
/** An agent that is at work until it is ended. */
const HAND = '#!/bin/sh\ncat > /dev/null\necho "total = 1" > total.js\necho started\nsleep 300\n';
const STREAM = '/api/runs/stream';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

describe('tabs and windows of one browser', () => {
  it('share one stream of all runs when they are eight, and another tab takes it over without a gap', async () => {
    await using served = await serveScratch({ files: { 'readme.md': '# A project\n' } });
    const context = await browser.newContext({ locale: 'en-US' });
    const requests: { page: Page; url: string }[] = [];
    context.on('request', (request) => {
      if (request.url().includes(STREAM)) requests.push({ page: request.frame().page(), url: request.url() });
    });
    const first = await served.enter(context);
    const others = await Promise.all(Array.from({ length: TABS - 1 }, () => context.newPage()));
    await Promise.all(others.map((page) => page.goto(`${served.url}/inbox`)));
    const waiting = (pages: readonly Page[]) =>
      Promise.all(pages.map(async (page) => (await page.title()).split(' ', 1)[0]));
    const plan = (goal: string) => served.scratch.mh(['do', goal, '--rehearse', '--plan-only']);

    await plan('Add prices');
    await expect.poll(() => waiting([first, ...others])).toEqual(Array.from({ length: TABS }, () => '(1)'));
    expect(requests).toHaveLength(1);

    const holder = requests[0]?.page;
    const rest = [first, ...others].filter((page) => page !== holder);
    await Promise.all([holder?.close(), plan('Add a cart')]);
    await expect.poll(() => waiting(rest)).toEqual(rest.map(() => '(2)'));
    expect(requests).toHaveLength(2);
    expect(requests[1]?.url).toMatch(/after=\d+/);

    const late = await context.newPage();
    await late.goto(`${served.url}/inbox`);
    await late.getByText('Add a cart').first().waitFor();
    await late.getByText('Add prices').first().waitFor();
    expect(requests).toHaveLength(2);
    await context.close();
  });

  it('are twelve visible windows on live pages, and all of them are live', async () => {
    await using served = await serveScratch({ files: { 'hand.sh': HAND } });
    const { scratch, url } = served;
    const started = await scratch.mh(['job', 'Wait', '--write', '--agent', 'command:./hand.sh', '--detach', '--json']);
    const { run } = z.object({ run: z.string() }).parse(started.json);
    const context = await browser.newContext({ locale: 'en-US' });
    const windows = [await served.enter(context)];
    while (windows.length < WINDOWS) windows.push(await context.newPage());
    const views = ['', '?view=events', '/tasks/job%2F1', '?view=changes'];
    await Promise.all(windows.map((page, index) => page.goto(`${url}/runs/${run}${views[index % views.length]}`)));
    await Promise.all(windows.map((page) => page.getByRole('heading', { level: 1 }).first().waitFor()));
    const unsaved = windows[3]?.getByRole('region', { name: 'Unsaved changes' });
    await unsaved?.getByText('1 file +1').waitFor();
    await scratch.mh(['cancel', run]);
    await Promise.all(windows.map((page) => page.getByText('Cancelled').first().waitFor()));
    await context.close();
  });

  it('show the frame of the page on a phone when the server has ended, and what it waits for', async () => {
    await using served = await serveScratch({ files: { 'readme.md': '# A project\n' } });
    const context = await browser.newContext({ locale: 'en-US', viewport: PHONE, hasTouch: true, isMobile: true });
    const page = await served.enter(context);
    expect(
      await page.evaluate(async () => (await fetch('/manifest.webmanifest')).headers.get('content-type')),
    ).toContain('manifest');
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.reload();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await served.scratch.mh(['stop']);
    await page.reload();
    await page.getByText('Not connected.').waitFor();
    await context.close();
  });
});
