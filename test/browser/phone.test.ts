import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { DESKTOP, openBrowser, PHONE } from './support/browser.ts';
import { serveScratch } from './support/scratch-server.ts';

const FILES = {
  'readme.md': '# A project\n',
  'failing.sh': '#!/bin/sh\nwhile [ ! -e "$HOME/go" ]; do sleep 0.2; done\nexit 1\n',
};
const FAIL = ['--write', '--agent', 'command:./failing.sh', '--retry', 'none', '--detach', '--json'];
const Started = z.object({ run: z.string() });
const MOBILE = { locale: 'en-US', viewport: PHONE, hasTouch: true, isMobile: true };
/** As on Android: a page must not show notifications, its service worker may; a browser without a window denies both, so it only records. */
const ANDROID = `
  window.shownByWorker = [];
  window.Notification = class {
    static permission = 'granted';
    constructor() {
      throw new TypeError('Illegal constructor');
    }
  };
  ServiceWorkerRegistration.prototype.showNotification = async (title, { body, data }) => {
    window.shownByWorker.push({ title, body, data });
  };
  localStorage.setItem('manyhands.desktop-news', 'on');`;
const HIDE = "Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' })";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

it('shows a notice on a phone without covering the header, and undoes a hidden run from it', async () => {
  await using served = await serveScratch({ files: FILES });
  await using context = await browser.newContext(MOBILE);
  const page = await served.enter(context);
  await served.scratch.mh(['job', 'Sort the shelf', ...FAIL]);
  writeFileSync(join(served.scratch.root, 'go'), '');
  const needs = page.getByRole('region', { name: 'Needs you' });
  await needs.getByRole('button', { name: 'Hide' }).click();
  const notice = page.getByRole('listitem').filter({ hasText: 'Hidden: Sort the shelf' });
  await notice.waitFor();
  const top = await boxOf(notice);
  for (const covered of [page.locator('header').first(), page.locator('main')])
    expect(intersect(top, await boxOf(covered))).toBe(false);
  await notice.getByRole('button', { name: 'Undo' }).click();
  await needs.getByText('Sort the shelf').waitFor();
});

it('lists the keys on a phone too, where a keyboard may be connected', async () => {
  await using served = await serveScratch({ files: FILES });
  await using context = await browser.newContext(MOBILE);
  const page = await served.enter(context);
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await dialog.getByText('Ctrl', { exact: true }).first().waitFor();
  await dialog.getByText('Watcher').waitFor();
});

it('keeps a notice for a moment after the pointer moved on it', async () => {
  await using served = await serveScratch({ files: FILES });
  await using context = await browser.newContext({ locale: 'en-US', viewport: DESKTOP });
  const page = await served.enter(context);
  await page.clock.install();
  await page.goto(served.url);
  await served.scratch.mh(['job', 'Sort the shelf', ...FAIL]);
  writeFileSync(join(served.scratch.root, 'go'), '');
  await page.getByRole('region', { name: 'Needs you' }).getByRole('button', { name: 'Hide' }).click();
  const notice = page.getByRole('listitem').filter({ hasText: 'Hidden: Sort the shelf' });
  await notice.hover();
  await page.clock.runFor(6_000);
  await notice.hover({ position: { x: 5, y: 5 } });
  await page.clock.runFor(6_000);
  expect(await notice.count()).toBe(1);
  await page.clock.runFor(9_000);
  await expect.poll(() => notice.count()).toBe(0);
});

it('notifies on a phone through the service worker', async () => {
  await using served = await serveScratch({ files: FILES });
  await using context = await browser.newContext(MOBILE);
  await context.addInitScript(ANDROID);
  const page = await served.enter(context);
  await page.evaluate(() => navigator.serviceWorker.ready);
  const { run } = Started.parse((await served.scratch.mh(['job', 'Sort the shelf', ...FAIL])).json);
  await page.getByRole('link', { name: 'Sort the shelf' }).first().waitFor();
  await page.evaluate(HIDE);
  writeFileSync(join(served.scratch.root, 'go'), '');
  await expect
    .poll(() => page.evaluate('window.shownByWorker'))
    .toEqual([{ title: 'Manyhands', body: 'Sort the shelf failed', data: `/runs/${run}` }]);
});

it('copies where a page without TLS has no clipboard', async () => {
  await using served = await serveScratch({ files: FILES });
  await using context = await browser.newContext({ locale: 'en-US', viewport: DESKTOP });
  await context.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
  const page = await served.enter(context);
  const { run } = Started.parse((await served.scratch.mh(['job', 'Sort the shelf', ...FAIL])).json);
  await page.goto(`${served.url}/runs/${run}`);
  await page.getByText('Details', { exact: true }).click();
  await page.getByRole('button', { name: run, exact: true }).click();
  await page.getByRole('button', { name: run }).getByText('Copied').waitFor({ state: 'attached' });
  await page.goto(`${served.url}/search`);
  await page.getByRole('searchbox').first().focus();
  await page.keyboard.press('Control+v');
  expect(await page.getByRole('searchbox').first().inputValue()).toBe(run);
});

it('reads the hosts again while the page is open, and says why the days of Usage are missing', async () => {
  await using served = await serveScratch({ files: FILES });
  await using context = await browser.newContext({ locale: 'en-US', viewport: DESKTOP });
  const page = await served.enter(context);
  await page.clock.install();
  let reads = 0;
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/hosts') reads += 1;
  });
  await page.goto(`${served.url}/hosts`);
  await page.getByText('No hosts').waitFor();
  const before = reads;
  await page.clock.runFor(11_000);
  await expect.poll(() => reads).toBeGreaterThan(before);

  await page.route('**/api/usage?*daily=true*', (route) => route.fulfill({ status: 500, json: {} }));
  await page.goto(`${served.url}/usage`);
  await page.getByRole('alert').waitFor();
  await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0);
});

type Box = { x: number; y: number; width: number; height: number };

async function boxOf(target: Locator): Promise<Box> {
  const box = await target.boundingBox();
  if (box === null) throw new Error('It is not on screen');
  return box;
}

function intersect(a: Box, b: Box): boolean {
  return a.y < b.y + b.height && b.y < a.y + a.height && a.x < b.x + b.width && b.x < a.x + a.width;
}
