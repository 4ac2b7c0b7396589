import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { realWorld } from '../../src/world.ts';
import { bigRunHistory, storeHistory } from '../support/big-run.ts';
import { TESTS_ALL, variants } from '../support/variants.ts';
import { findBarriers } from './support/accessibility.ts';
import { collectConsoleErrors, DESKTOP, openBrowser, PHONE } from './support/browser.ts';
import { serveScratch } from './support/scratch-server.ts';

/** It says its title as an attacker would write it, and waits for a word to go on. */
const AGENT = `#!/bin/sh
echo "reading <img src=x onerror=alert(1)>"
while [ ! -e "$HOME/go" ]; do sleep 0.2; done
echo done > made.txt
`;
const FILES = {
  'readme.md': '# A project\n',
  'agent.sh': AGENT,
  'check.sh': 'test ! -e broken.txt\n',
  'held.sh': "#!/bin/sh\nprintf 'exit 0\\n' > check.sh\n",
  'failing.sh': '#!/bin/sh\necho broken > broken.txt\n',
};
const VIEWS = ['timeline', 'graph', 'tasks', 'changes', 'events', 'cost', 'report'];
const Started = z.object({ run: z.string() });
const FOCUSED_ROW = "document.activeElement.closest('[data-index]')?.getAttribute('data-index')";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

describe('the home page', () => {
  it('shows the first steps to a new user, then runs as they start and end, without a reload', async () => {
    await using served = await serveScratch({ files: FILES });
    await using context = await newContext();
    const page = await served.enter(context);
    await page.getByRole('heading', { name: 'Start your first run' }).waitFor();
    await page.getByText('mh demo').waitFor();
    await served.scratch.mh(['do', 'Tidy up', '--rehearse', '--plan-only', '--detach']);
    const needs = page.getByRole('region', { name: 'Needs you' });
    await needs.getByRole('link', { name: 'Review the plan' }).click();
    await page.getByRole('button', { name: 'Approve plan' }).click();
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByText('Nothing needs you.').waitFor();
    await page.getByRole('region', { name: 'Recent' }).getByRole('link', { name: 'Tidy up' }).waitFor();
    await page.getByText('1 unread').waitFor();
    await page.getByRole('link', { name: 'Tidy up' }).first().click();
    await page.getByText('5 / 5 done').waitFor();
    await page.getByRole('link', { name: 'Home' }).click();
    await expect.poll(() => page.getByText('1 unread').count()).toBe(0);
  });
});

describe('the page of a run', () => {
  it('lets the user watch, rename, cancel and retry it', async () => {
    await using served = await serveScratch({ files: FILES });
    await using context = await newContext();
    const page = await served.enter(context);
    const consoleErrors = collectConsoleErrors(page);
    await served.scratch.mh([
      ...['job', 'Make it <b>bold</b>', '--write', '--agent', 'command:./agent.sh', '--detach'],
      ...['--check', 'echo compiling; while [ ! -e "$HOME/checked" ]; do sleep 0.2; done'],
    ]);
    const card = page.getByRole('article', { name: 'Make it <b>bold</b>' });
    await card
      .getByRole('list', { name: 'Now' })
      .getByText(/^check on the base: echo .*: compiling$/)
      .waitFor();
    await card.getByRole('link', { name: 'Make it <b>bold</b>' }).first().click();
    await page
      .getByRole('list', { name: 'Now' })
      .getByText(/^check on the base: echo .*: compiling$/)
      .waitFor();
    writeFileSync(join(served.scratch.root, 'checked'), '');
    await page.getByRole('link', { name: 'Home' }).click();
    await card.getByText('reading <img src=x onerror=alert(1)>').waitFor();
    await card.getByRole('link', { name: 'Make it <b>bold</b>' }).first().click();
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Title' }).fill('Make it bold');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Make it bold', exact: true }).waitFor();
    const before = Number(await page.getByRole('spinbutton', { name: 'Parallel agents' }).inputValue());
    await page.getByRole('button', { name: 'Fewer agents' }).click();
    await expect
      .poll(() => page.getByRole('spinbutton', { name: 'Parallel agents' }).inputValue())
      .toBe(String(before - 1));
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Cancel run' }).click();
    await page.locator('main').getByText('Cancelled', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Retry the cancelled task' }).click();
    await page.locator('main header').getByText('Running', { exact: true }).waitFor();
    writeFileSync(join(served.scratch.root, 'go'), '');
    await page.getByText('1 / 1 done').waitFor();
    expect(consoleErrors).toEqual([]);
  });

  it('shows which tasks a retry affects, and has a graph, a task list and events', async () => {
    await using served = await serveScratch({ files: FILES });
    await served.scratch.mh(['do', 'Add prices', '--rehearse']);
    await using context = await newContext();
    const page = await served.enter(context);
    await page.getByRole('link', { name: 'Add prices' }).first().click();
    const rows = page.getByRole('region', { name: 'Timeline' }).getByRole('listitem');
    await rows.first().waitFor();
    await rows.first().getByRole('link').focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.evaluate(FOCUSED_ROW)).toBe('1');
    await page.getByRole('link', { name: 'Graph' }).click();
    await expect.poll(() => page.locator('.react-flow__node').count()).toBe(5);
    await page.getByRole('link', { name: 'Show as list' }).click();
    await page.getByRole('button', { name: /^Retry First part/ }).click();
    await page.getByText(/depends? on it and becomes? stale/).waitFor();
    await page.getByRole('button', { name: 'No', exact: true }).click();
    await page.getByRole('link', { name: 'Events' }).click();
    await page.getByLabel('Event kind').selectOption('run');
    await page.getByText(/^started /).waitFor();
    expect(page.url()).toContain('kind=run');
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save JSON' }).click(),
    ]);
    const events: { type: string }[] = JSON.parse(readFileSync(await saved.path(), 'utf8'));
    expect([events.at(0)?.type, events.at(-1)?.type]).toEqual(['run.started', 'run.ended']);
  });

  it.each(
    variants(
      [['dark', 'narrow', PHONE]],
      [
        ['light', 'narrow', PHONE],
        ['dark', 'wide', DESKTOP],
        ['light', 'wide', DESKTOP],
      ],
    ),
  )('is accessible on a %s, %s screen in every view and state', async (colorScheme, _, size) => {
    await using served = await serveScratch({ files: FILES });
    const { scratch, url } = served;
    const start = async (...args: string[]) => Started.parse((await scratch.mh([...args, '--json'])).json).run;
    const done = await start('do', 'Add prices', '--rehearse');
    const plan = await start('do', 'Add a cart', '--rehearse', '--plan-only');
    const job = (agent: string) =>
      start('job', agent, '--write', '--agent', `command:./${agent}.sh`, '--check', 'sh check.sh');
    const [held, failed] = [await job('held'), await job('failing')];
    await using context = await newContext(colorScheme);
    const page = await served.enter(context);
    await page.setViewportSize(size);
    await page.getByRole('region', { name: 'Needs you' }).getByText('Review the plan').waitFor();
    const found = await findBarriers(page, '/');
    for (const path of [
      '/inbox',
      ...VIEWS.map((view) => `/runs/${done}?view=${view}`),
      `/runs/${plan}?view=plan`,
      `/runs/${held}/tasks/job%2F1?view=diff`,
      `/runs/${failed}`,
      ...['transcript', 'attempts', 'gates', 'prompt'].map((view) => `/runs/${failed}/tasks/job%2F1?view=${view}`),
    ]) {
      await page.goto(`${url}${path}`);
      found.push(...(await findBarriers(page, path)));
    }
    expect(found).toEqual([]);
  });

  it.runIf(TESTS_ALL)('stays usable with 10,000 tasks', async () => {
    await using served = await serveScratch({ files: FILES });
    const run = 'bgrn0001';
    {
      await using store = await openSqliteStore({ file: join(served.scratch.home, 'manyhands.db'), world: realWorld });
      await storeHistory(
        store,
        run,
        bigRunHistory({ run, tasks: 10_000, root: served.scratch.repo }, 1_700_000_000_000),
      );
    }
    await using context = await newContext();
    const page = await served.enter(context);
    await page.goto(`${served.url}/runs/${run}`);
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.getByRole('listitem').first().waitFor();
    await page.getByText('This run is too large for the marks of checks').waitFor();
    expect(await page.getByText('check passed').count()).toBe(0);
    await timeline.evaluate((box) => box.scrollTo({ top: box.scrollHeight }));
    await timeline.getByText('Task 9999 of the migration').waitFor();
    expect(await timeline.getByRole('listitem').count()).toBeLessThan(100);
    await page.getByRole('link', { name: /^Tasks/ }).click();
    await page.getByRole('button', { name: /^Failed/ }).click();
    await page.getByRole('searchbox').fill('task 9706');
    await page.getByRole('link', { name: 'Task 9706 of the migration' }).waitFor();
    await page.goto(`${served.url}/runs/${run}?view=graph&by=none`);
    await page.locator('.react-flow__node').first().waitFor();
    expect(await page.locator('.react-flow__node').count()).toBeLessThan(1_000);
  });
});

function newContext(colorScheme: 'light' | 'dark' = 'light'): Promise<BrowserContext> {
  return browser.newContext({ locale: 'en-US', viewport: DESKTOP, colorScheme });
}
