import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectId } from '../../src/git/read/repository.ts';
import { RunDocument } from '../../src/schema/document.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { realWorld } from '../../src/world.ts';
import { storeHistory } from '../support/big-run.ts';
import { started } from '../support/given.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';
import { DESKTOP, openBrowser } from './support/browser.ts';
import { serveScratch } from './support/scratch-server.ts';
import { serveDashboard } from './support/served.ts';

const ASKING = `plays:
  - role: implement
    attempt: 1
    steps:
      - tool: { name: ask_user, with: { question: 'Which colour?', options: [red, blue], seconds: 0 } }
`;
const FAILING = '#!/bin/sh\nexit 1\n';
/** It works until the file `go` exists. */
const WORKING = '#!/bin/sh\nwhile [ ! -e "$HOME/go" ]; do sleep 0.1; done\necho made > made.txt\n';
const FILES = { 'working.sh': WORKING, 'readme.md': '# A project\n', 'asking.yaml': ASKING, 'failing.sh': FAILING };

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

describe('a question of an agent', () => {
  it('is answered on the page of its task, to which the inbox and the board lead', async () => {
    await using served = await serveScratch({ files: FILES });
    await served.scratch.mh(['job', 'Paint it', '--write', '--rehearse', '--scenario', 'asking.yaml', '--detach']);
    const page = await served.enter(await browser.newContext({ viewport: DESKTOP, locale: 'en-US' }));
    const answer = page.getByRole('main').getByRole('region', { name: 'Questions' });
    await page.goto(`${served.url}/board`);
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Which colour?' })
      .getByRole('link', { name: 'Paint it' })
      .first()
      .click();
    await answer.getByText('Its agent asks: Which colour?').waitFor();
    await page.goto(`${served.url}/inbox`);
    const row = page.getByRole('region', { name: 'Inbox items' }).getByRole('listitem');
    await row.focus();
    await page.keyboard.press('Enter');
    // It is asked once, with its form, and not as a command; in the transcript it is a question, not a call.
    await page.getByRole('region', { name: 'Rows' }).getByText('Question to you').waitFor();
    await page.getByText('No answer while it waited.').waitFor();
    expect(await page.getByText('Its agent asks: Which colour?').count()).toBe(1);
    expect(await page.getByText('manyhands answer').count()).toBe(0);
    await answer.getByRole('textbox', { name: 'Answer' }).fill('green');
    await page.keyboard.press('Enter');
    await page.getByText('Answered', { exact: true }).waitFor();
    await answer.waitFor({ state: 'detached' });
  });
});

describe('a key in the inbox', () => {
  it('acts on the row with the focus, also after a row before it is gone', async () => {
    await using served = await serveScratch({ files: FILES });
    const { mh } = served.scratch;
    const planned = RunDocument.parse((await mh(['do', 'Plan it', '--rehearse', '--plan-only', '--json'])).json);
    const failing = ['--write', '--agent', 'command:./failing.sh', '--retry', 'none', '--json'];
    const failed = RunDocument.parse((await mh(['job', 'First', ...failing])).json);
    await mh(['job', 'Second', ...failing]);
    const page = await served.enter(await browser.newContext({ viewport: DESKTOP, locale: 'en-US' }));
    const retried: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/retry')) retried.push(request.url());
    });
    await page.goto(`${served.url}/inbox`);
    const rows = page.getByRole('region', { name: 'Inbox items' }).getByRole('listitem');
    await expect.poll(() => rows.count()).toBe(3);
    const first = rows.filter({ has: page.getByRole('link', { name: 'First' }) });
    await first.focus();
    await mh(['cancel', planned.run]);
    await expect.poll(() => rows.count()).toBe(2);
    // Held down, a key acts once.
    for (let count = 0; count < 3; count += 1) await page.keyboard.down('r');
    await page.keyboard.up('r');
    await page.getByText('Retry started').waitFor();
    expect(retried).toEqual([`${served.url}/api/runs/${failed.run}/retry`]);
  });
});

describe('a run that no engine is running', () => {
  it('needs the user on Home, in the Inbox and in the terminal, until it is resumed', async () => {
    await using scratch = await makeScratch({ files: FILES });
    const job = ['job', 'Wait for it', '--write', '--agent', 'command:./working.sh', '--detach', '--json'];
    const { run } = RunDocument.pick({ run: true }).parse((await scratch.mh(job)).json);
    await expect
      .poll(async () => (await scratch.mh(['show', '--json'])).json)
      .toMatchObject({ tasks: [{ attempts: 1 }] });
    await scratch.endAll();
    await storeStartedRun(scratch);
    await scratch.mh(['serve', '--detach', '--port', '0', '--no-resume']);
    const served = await serveDashboard(scratch);
    const page = await (await browser.newContext({ viewport: DESKTOP, locale: 'en-US' })).newPage();
    await page.goto(await served.link());
    const row = page.getByRole('region', { name: 'Needs you' }).getByRole('listitem');
    for (const title of ['Wait for it', 'Only started']) {
      const interrupted = row.filter({ has: page.getByRole('link', { name: title }) });
      await interrupted.getByRole('strong').getByText('Interrupted').waitFor();
      await interrupted.getByText('No engine is running it.').waitFor();
    }
    expect(await page.getByRole('region', { name: 'Running' }).getByRole('listitem').count()).toBe(0);
    await page.getByRole('link', { name: 'Inbox 2 waiting' }).click();
    const item = page.getByRole('region', { name: 'Inbox items' }).getByRole('listitem');
    expect((await scratch.mh(['inbox'])).stdout).toMatch(/No engine is running it\.\n {2}next: manyhands resume \w+/);
    await item
      .filter({ has: page.getByRole('link', { name: 'Wait for it' }) })
      .getByRole('button', { name: 'Resume' })
      .click();
    await page.getByRole('link', { name: 'Inbox 1 waiting' }).waitFor();
    writeFileSync(join(scratch.root, 'go'), '');
    await scratch.mh(['wait', run]);
    await scratch.mh(['stop']);
  });
});

/** The engine of a run ended right after its first event. */
async function storeStartedRun({ home, repo }: Scratch): Promise<void> {
  await using store = await openSqliteStore({ file: join(home, 'manyhands.db'), world: realWorld });
  const project = { id: projectId({ commonDir: join(repo, '.git') }), root: repo };
  const event = started({ run: 'b0000001', title: 'Only started', project });
  await storeHistory(store, 'b0000001', [{ at: realWorld.now() - 60_000, events: [event] }]);
}
