import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunEvent } from '../../src/schema/event.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { realWorld } from '../../src/world.ts';
import { bigRunHistory, storeHistory } from '../support/big-run.ts';
import { added, attemptEnded, attempted, failure, spec, started, taskEnded } from '../support/given.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';
import { TESTS_ALL, variants } from '../support/variants.ts';
import { collectConsoleErrors, openBrowser } from './support/browser.ts';
import { focusByTab } from './support/keyboard.ts';
import { serveDashboard } from './support/served.ts';

/** It changes the script of the check, which the guard holds for a person. */
const HELD = "#!/bin/sh\nprintf 'exit 0 # changed\\n' > check.sh\necho made > made.txt\n";
const WORKING =
  '#!/bin/sh\necho "Reading the code"\nwhile [ ! -e "$HOME/go" ]; do sleep 0.2; done\necho done > made.txt\n';
const ASKING = `plays:
  - role: implement
    attempt: 1
    steps:
      - tool: { name: ask_user, with: { question: 'Which colour?', options: [red, blue], seconds: 0 } }
`;
const FILES = {
  'readme.md': '# A project\n',
  'check.sh': 'exit 0\n',
  'held.sh': HELD,
  'working.sh': WORKING,
  'asking.yaml': ASKING,
};
const HOUR_MS = 3_600_000;
/** Requests that decide something; a page that is only looked at sends none of them. */
const DECIDING = /\/(approve|reject|land|retry|cancel|undo|pause|resume|answer|priority|messages|plan|share|stop)\b/;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** The decisions of the hour: what Home calls each, and what its place has on screen. */
const PLACES = [
  { title: 'Change the check', link: 'Review the change', place: 'Approve change', reason: /check\.sh/ },
  { title: 'Offer gift cards', link: 'Review the plan', place: 'Approve plan', reason: /approv/i },
] as const;

it('leads an operator at 360 px, with the keyboard alone, to every decision, and decides nothing by accident', async () => {
  await using scratch = await makeScratch({ files: FILES });
  const shop = scratch.repo;
  const [forge, docs] = [project(scratch, 'forge'), project(scratch, 'docs')];
  await storePast(scratch, TESTS_ALL ? 2_000 : 60);
  const served = await serveDashboard(scratch, 0);
  const start = async (cwd: string, args: readonly string[]) => {
    const { code, stderr } = await scratch.mh(args, { cwd });
    expect(code, `${args.join(' ')}: ${stderr}`).toBe(0);
  };
  const agent = (name: string) => ['--write', '--agent', `command:./${name}.sh`, '--detach'];
  await start(shop, ['job', 'Change the check', ...agent('held'), '--check', 'sh check.sh']);
  await start(forge, ['do', 'Offer gift cards', '--rehearse', '--plan-only', '--detach']);
  await start(forge, ['job', 'Paint it', '--write', '--rehearse', '--scenario', 'asking.yaml', '--detach']);
  await start(docs, ['job', 'Read the code', ...agent('working')]);
  await start(docs, ['job', 'Write the news', '--rehearse', '--at', '+2h', '--detach']);
  for (const title of variants(['Read more'], ['Read on', 'Read again']))
    await start(shop, ['job', title, ...agent('working')]);

  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 360, height: 740 } });
  const page = await context.newPage();
  const decided: string[] = [];
  page.on('request', (request) => {
    const path = new URL(request.url()).pathname;
    if (request.method() !== 'GET' && DECIDING.test(path)) decided.push(path);
  });
  const consoleErrors = collectConsoleErrors(page);
  await page.goto(await served.link());
  const needs = page.getByRole('region', { name: 'Needs you' });
  const rows = needs.getByRole('listitem');
  for (const { title } of PLACES) await row(rows, title).waitFor({ timeout: 60_000 });
  await row(rows, 'Paint it').getByRole('textbox', { name: 'Answer' }).waitFor({ timeout: 60_000 });

  // Every state has its reason and its next step on screen.
  await row(rows, 'Partly done')
    .getByText(/one test of nine fails/)
    .first()
    .waitFor();
  await row(rows, 'Partly done').getByRole('button', { name: /Retry/ }).waitFor();
  await row(rows, 'All failed').getByRole('button', { name: /Retry/ }).waitFor();
  await page.getByText('Reading the code').first().waitFor({ timeout: 60_000 });
  await page
    .getByText(/in 1h 59m|in 2h/)
    .first()
    .waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  // Home, the badge of the Inbox and the Inbox count the same.
  const counted = await rows.count();
  await page.getByRole('link', { name: `Inbox ${counted} waiting` }).waitFor();
  await page.goto(`${served.url}/inbox`);
  const inbox = page.getByRole('region', { name: 'Inbox items' }).getByRole('listitem');
  await row(inbox, 'Partly done').getByRole('button', { name: /Retry/ }).waitFor();
  expect(await inbox.count()).toBe(counted);

  // The row of views is wider than the screen; the current one is in it.
  await page.goto(`${served.url}/runs/b0000003?view=report`);
  const current = page.getByRole('navigation', { name: 'Run views' }).getByRole('link', { name: 'Report' });
  const [left, right] = await current.evaluate((link) => {
    const box = link.getBoundingClientRect();
    return [box.left, box.right];
  });
  expect(left).toBeGreaterThanOrEqual(0);
  expect(right).toBeLessThanOrEqual(360);

  // One key press from the focused item to the place of its decision, which needs another one there.
  for (const { title, link, place, reason } of PLACES) {
    await page.goto(served.url);
    const target = row(rows, title).getByRole('link', { name: link });
    await focusByTab(page, target);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: place }).first().waitFor();
    await page.getByText(reason).first().waitFor();
    await pressEveryKey(page);
  }
  await page.goto(served.url);
  await rows.first().waitFor();
  await pressEveryKey(page);
  expect(decided).toEqual([]);

  // The decisions themselves, by keyboard.
  await page.goto(served.url);
  await focusByTab(page, row(rows, 'Paint it').getByRole('button', { name: 'red' }));
  await page.keyboard.press('Enter');
  await page.getByText('Answered', { exact: true }).waitFor();
  await focusByTab(page, row(rows, 'Offer gift cards').getByRole('link', { name: 'Review the plan' }));
  await page.keyboard.press('Enter');
  await focusByTab(page, page.getByRole('button', { name: 'Approve plan' }).first());
  await page.keyboard.press('Enter');
  await page.getByText('Approved', { exact: true }).waitFor();
  expect(decided.map((path) => path.split('/').at(-1))).toEqual(['answer', 'approve']);
  expect(consoleErrors).toEqual([]);
  writeFileSync(join(scratch.root, 'go'), '');
  await scratch.mh(['stop', '--agents']);
}, 240_000);

function row(rows: Locator, title: string): Locator {
  return rows.filter({ has: rows.page().getByRole('link', { name: title }) }).first();
}

/** Single keys, as somebody presses who thinks that another window has the focus. */
async function pressEveryKey(page: Page): Promise<void> {
  await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
  for (const key of 'abdefhiklmnopqrstuvwxyz0123456789') {
    await page.keyboard.press(key);
    await page.keyboard.press('Escape');
  }
}

function project({ root }: Scratch, name: string): string {
  const dir = join(root, name);
  mkdirSync(dir);
  for (const [file, text] of Object.entries(FILES))
    writeFileSync(join(dir, file), text, { mode: text.startsWith('#!') ? 0o755 : 0o644 });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', ...args], { cwd: dir });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message=Start');
  return dir;
}

/** Ended runs: a large one, one of 60 tasks, one that is partly done, one that failed. */
async function storePast(scratch: Scratch, largest: number): Promise<void> {
  const now = realWorld.now();
  const root = scratch.repo;
  await scratch.mh(['ls']);
  await using store = await openSqliteStore({ file: join(scratch.home, 'manyhands.db'), world: realWorld });
  for (const [run, tasks] of [
    ['b0000001', largest],
    ['b0000002', 60],
  ] as const)
    await storeHistory(store, run, bigRunHistory({ run, tasks, root }, now - 48 * HOUR_MS));
  const bad = failure('tests', 'one test of nine fails');
  for (const [run, title, status] of [
    ['b0000003', 'Partly done', 'partial'],
    ['b0000004', 'All failed', 'failed'],
  ] as const)
    await storeHistory(store, run, [
      {
        at: now - HOUR_MS,
        events: [
          started({ run, title, project: { id: 'big', root } }),
          added(spec('a'), spec('b')),
          attempted('a'),
          attemptEnded('a', 1, status === 'partial' ? {} : { failure: bad }),
          status === 'partial' ? taskEnded('a', 'done') : failedTask('a'),
          attempted('b'),
          attemptEnded('b', 1, { failure: bad }),
          failedTask('b'),
          {
            type: 'run.ended',
            data: { status, reason: '1 of 2 tasks failed', spend: { costUsd: 1, tokens: 0, turns: 0 } },
          },
        ],
      },
    ]);
}

function failedTask(task: string): RunEvent {
  const bad = failure('tests', 'one test of nine fails');
  return { type: 'task.ended', data: { task, status: 'failed', reason: 'one test of nine fails', failure: bad } };
}
