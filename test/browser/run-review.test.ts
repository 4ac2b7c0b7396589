import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { DESKTOP, openBrowser } from './support/browser.ts';
import { serveScratch } from './support/scratch-server.ts';

/** The second task works until the file `go` exists. */
const AGENT = `#!/bin/sh
if grep -q 'Second part'; then
  while [ ! -e "$HOME/go" ]; do sleep 0.1; done
  seq -f 'two %g' 1 30 > a-two.txt
else
  seq -f 'one %g' 1 300 > one.txt
fi
`;
const TASKS = `tasks:
  - { id: first, title: First part, description: First part }
  - { id: second, title: Second part, description: Second part }
`;
const FILES = { 'readme.md': '# A project\n', 'agent.sh': AGENT, 'tasks.yaml': TASKS };
/** A line of a diff is at least this high. */
const LINE_PX = 20;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

describe('the review of a run', () => {
  it('moves with the branch, and leaves the unsent reviews of its tasks alone', async () => {
    await using served = await serveScratch({ files: FILES });
    const { scratch } = served;
    const work = ['run', 'tasks.yaml', '--agent', 'command:./agent.sh', '--detach', '--json'];
    const { run } = RunDocument.pick({ run: true }).parse((await scratch.mh(work)).json);
    const page = await served.enter(await browser.newContext({ viewport: DESKTOP, locale: 'en-US' }));
    const drafts = () =>
      page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('manyhands review')));
    const comment = async (text: string) => {
      await page.getByRole('region', { name: 'Diff' }).focus();
      for (const key of ['n', 'ArrowDown', 'c']) await page.keyboard.press(key);
      await page.keyboard.type(text);
      await page.keyboard.press('Control+Enter');
    };

    await page.goto(`${served.url}/runs/${run}`);
    await page.getByRole('link', { name: 'First part' }).first().click();
    await page.getByRole('tab', { name: 'Diff' }).click();
    await page.getByText('one 1', { exact: true }).first().waitFor();
    await comment('Of the task');
    await page.getByText('1 comment in your review').waitFor();

    await page.goto(`${served.url}/runs/${run}?view=changes`);
    await page.getByRole('region', { name: 'Changes' }).getByText('one 1', { exact: true }).first().waitFor();
    expect(await page.getByText('never sent').count()).toBe(0);
    await comment('Of the run');
    await page.getByText('1 comment for 1 task').waitFor();
    expect(await drafts()).toHaveLength(2);

    const diff = page.getByRole('region', { name: 'Diff' });
    await diff.evaluate((element) => element.scrollTo(0, 1_500));
    const line = diff.getByText('one 70', { exact: true });
    const position = async () => ((await line.boundingBox())?.y ?? 0) - ((await diff.boundingBox())?.y ?? 0);
    const before = await position();
    writeFileSync(join(scratch.root, 'go'), '');
    await page.getByText('2 files').first().waitFor();
    await expect.poll(async () => Math.abs((await position()) - before)).toBeLessThan(LINE_PX);
    await diff.focus();
    await page.keyboard.press('v');
    await page.getByText('1 viewed').waitFor();
    expect(await line.count()).toBe(0);
    await page.getByRole('button', { name: 'Send review' }).click();
    await page.getByText('The review was sent to 1 task').waitFor();
    expect(await drafts()).toEqual([expect.stringMatching(new RegExp(`^manyhands review ${run} \\S+ \\w+$`))]);
    await scratch.mh(['cancel', run]);
  });
});
