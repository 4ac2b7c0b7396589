import type { Browser, BrowserContext, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { featuresText } from '../support/features-project.ts';
import { findBarriers } from './support/accessibility.ts';
import { DESKTOP, openBrowser } from './support/browser.ts';
import { serveScratch } from './support/scratch-server.ts';

/** It changes the script of the check, and many files that come before it. */
const HELD =
  "#!/bin/sh\nprintf 'exit 0 # changed\\n' > check.sh\nmkdir a\nfor n in $(seq 400); do echo $n > a/$n.txt; done\n";
const WORKING = '#!/bin/sh\nwhile [ ! -e "$HOME/go" ]; do sleep 0.2; done\n';
const FEATURES = featuresText(['north', 'south']).replace('"id": 2, "category": "core"', '"id": 2, "category": "ui"');
const TRACKS = 'tracks:\n  north: { categories: [core], default: true }\n  south: { categories: [ui] }\n';
const FILES = {
  'readme.md': '# A project\n',
  'check.sh': 'exit 0\n',
  'held.sh': HELD,
  'working.sh': WORKING,
  'features.json': FEATURES,
  '.manyhands/config.yaml': TRACKS,
};
const Started = z.object({ run: z.string() });

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

it('returns the focus to the button when a question or a form is closed', async () => {
  await using served = await serveScratch({ files: FILES });
  await using context = await newContext();
  const page = await served.enter(context);
  const working = ['job', 'Work on', '--write', '--agent', 'command:./working.sh', '--detach', '--json'];
  const { run } = Started.parse((await served.scratch.mh(working)).json);
  await page.goto(`${served.url}/runs/${run}`);
  await page.getByRole('button', { name: 'Cancel' }).waitFor();
  for (const name of ['Rename', 'Cancel']) {
    const button = page.getByRole('button', { name, exact: true });
    await button.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => isFocused(button.and(page.locator(':focus')))).toBe(false);
    await page.keyboard.press('Escape');
    await expect.poll(() => isFocused(button)).toBe(true);
  }
  await page.getByRole('link', { name: 'Work on' }).first().click();
  const startOver = page.getByRole('button', { name: 'Start over…' });
  await startOver.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Start this task over?' }).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => isFocused(startOver)).toBe(true);
});

it('loses no key that is pressed right after a dialog was closed', async () => {
  await using served = await serveScratch({ files: FILES });
  await using context = await newContext();
  const page = await served.enter(context);
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await dialog.waitFor();
  // As after Esc on a busy machine: the key arrives before the page has handled that the dialog is closed.
  await dialog.evaluate((element: HTMLDialogElement) => {
    element.close();
    element.firstElementChild?.dispatchEvent(new KeyboardEvent('keydown', { key: 'c', bubbles: true }));
  });
  await page.getByRole('heading', { name: 'New run' }).waitFor();
});

it('gives the focus to a page that was opened with the keyboard', async () => {
  await using served = await serveScratch({ files: FILES });
  await using context = await newContext();
  const page = await served.enter(context);
  await page.keyboard.press('g');
  await page.keyboard.press('i');
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await expect.poll(() => isFocused(page.locator('main'))).toBe(true);
});

it('begins the diff of held work with what holds it, moves there with j and k, and rejects', async () => {
  await using served = await serveScratch({ files: FILES });
  await using context = await newContext();
  const page = await served.enter(context);
  const held = ['job', 'Change it', '--write', '--agent', 'command:./held.sh', '--check', 'sh check.sh', '--detach'];
  await served.scratch.mh(held);
  await page.getByRole('link', { name: 'Review the change' }).click();
  const reject = page.getByRole('button', { name: 'Reject…' });
  await reject.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Reason of the rejection' }).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => isFocused(reject)).toBe(true);
  const diff = page.getByRole('region', { name: 'Diff' });
  await diff.getByText('held for your decision').waitFor();
  expect((await diff.getByRole('heading').allTextContents())[0]).toContain('check.sh');
  await page.getByRole('searchbox', { name: 'Find a file' }).fill('399');
  await page.getByRole('button', { name: /399\.txt/ }).click();
  await diff.getByRole('heading', { name: 'a/399.txt' }).waitFor();
  await diff.focus();
  await page.keyboard.press('j');
  const cursor = page.locator('main [role="status"]', { hasText: 'line 1: exit 0' });
  await cursor.waitFor({ state: 'attached' });
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await cursor.waitFor({ state: 'attached' });
  expect(await isFocused(diff)).toBe(true);
  await page.keyboard.press('c');
  await page.getByRole('textbox', { name: /comment/i }).waitFor();
});

it('has targets of 24 px in a run with tracks', async () => {
  await using served = await serveScratch({ files: FILES });
  await using context = await newContext();
  const page = await served.enter(context);
  const tracks = ['run', 'features.json', '--agent', 'command:./working.sh', '--detach', '--json'];
  const { run } = Started.parse((await served.scratch.mh(tracks)).json);
  await page.goto(`${served.url}/runs/${run}`);
  const pause = page.getByRole('button', { name: 'Pause track north' });
  await pause.waitFor();
  expect(await findBarriers(page, 'tracks')).toEqual([]);
  for (const button of [pause, page.getByRole('button', { name: 'north', exact: true })])
    expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(24);
});

function newContext(): Promise<BrowserContext> {
  return browser.newContext({ locale: 'en-US', viewport: DESKTOP });
}

async function isFocused(target: Locator): Promise<boolean> {
  return (await target.count()) > 0 && target.evaluate((element) => element === document.activeElement);
}
