import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { atTerminal } from '../support/attached.ts';
import { makeScratch } from '../support/scratch.ts';
import { DESKTOP, openBrowser, PHONE } from './support/browser.ts';
import { type ScratchServer, serveScratch } from './support/scratch-server.ts';

/** It changes the script of the check, which the guard holds; after a rejection it restores the script. */
const AGENT = `#!/bin/sh
if grep -q 'rejected this work' "$MANYHANDS_PROMPT_FILE"; then
  printf 'exit 0\\n' > check.sh
  echo better > made.txt
else
  printf 'exit 0 # changed\\n' > check.sh
  echo made > made.txt
fi
`;
const FAILING = '#!/bin/sh\necho made > made.txt\n';
const FILES = { 'readme.md': '# A project\n', 'agent.sh': AGENT, 'check.sh': 'exit 0\n', 'failing.sh': FAILING };

/** The check prints what the files in lib contain, except those that the file `excluded` names. */
const cargo = (name: string) =>
  `running 1 tests\ntest ${name} ... ok\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.0s\n`;
const PRINTING = { excluded: 'none\n', 'lib/a': cargo('a'), 'lib/b': cargo('b') };
const EXCLUDING = '#!/bin/sh\necho lib/c > excluded\n';

/** More lines than the page shows of an output. */
const PRINTED = Array.from({ length: 200 }, (_, index) => `${index + 1}\n`).join('');

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

async function enter(served: ScratchServer, viewport: { width: number; height: number }): Promise<Page> {
  const context = await browser.newContext({ viewport, locale: 'en-US' });
  return served.enter(context);
}

describe('decisions', () => {
  it('shows held work before it can be answered, and sends a rejection back to the agent', async () => {
    await using served = await serveScratch({ files: FILES });
    await served.scratch.mh([
      ...['job', 'Make it', '--write', '--agent', 'command:./agent.sh', '--check', 'sh check.sh', '--detach'],
    ]);
    const page = await enter(served, DESKTOP);
    const needs = page.getByRole('region', { name: 'Needs you' });
    await needs.getByText('Work to approve').waitFor();
    expect(await page.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
    await needs.getByRole('link', { name: 'Review the change' }).click();
    await page.getByRole('region', { name: 'Held work' }).getByRole('button', { name: 'Reject…' }).click();
    expect(await page.getByRole('button', { name: 'Reject', exact: true }).isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: 'Reason of the rejection' }).fill('Leave check.sh alone');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Rejected', { exact: true }).waitFor();
    await page.getByText('Done', { exact: true }).first().waitFor();
    const shown = await served.scratch.mh(['show', '--json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ status: 'done', tasks: [{ attempts: 2 }] });
  });

  it('asks for the code that only the terminal of the engine shows, in a dialog', async () => {
    await using scratch = await makeScratch({ files: FILES });
    mkdirSync(join(scratch.root, '.config', 'manyhands'), { recursive: true });
    writeFileSync(join(scratch.root, '.config', 'manyhands', 'config.yaml'), 'approve: { confirm: terminal }\n');
    const job = ['job', 'Make it', '--write', '--agent', 'command:./agent.sh', '--check', 'sh check.sh'];
    const { run } = RunDocument.parse((await scratch.mh([...job, '--json'])).json);
    const terminal = atTerminal(scratch, ['serve', '--port', '0']);
    await terminal.until(/http:\/\/\S+#code=\S+/);
    const [link = ''] = /http:\/\/\S+#code=[\w-]+/.exec(terminal.shown()) ?? [];
    const page = await (await browser.newContext({ viewport: DESKTOP, locale: 'en-US' })).newPage();
    await page.goto(link);
    await page.getByRole('link', { name: 'Review the change' }).click();
    const approve = page.getByRole('button', { name: 'Approve change' });
    await approve.click();
    const dialog = page.getByRole('dialog', { name: 'Confirm this decision' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await approve.click();
    for (let shown = 0; shown < 2; shown += 1) await terminal.until(/within 5 minutes: \w+\s/);
    const code =
      terminal
        .shown()
        .match(/(?<=within 5 minutes: )\w+/g)
        ?.at(-1) ?? '';
    await dialog.getByLabel('Code').fill(code);
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await scratch.mh(['show', run, '--json'])).json).toMatchObject({ status: 'done' });
    expect(await dialog.count()).toBe(0);
    await page.context().close();
    await scratch.mh(['stop']);
    await terminal.ended;
  });

  it('lets the user change a plan in the page before approving it', async () => {
    await using served = await serveScratch({ files: FILES });
    await served.scratch.mh(['do', 'Add prices', '--rehearse', '--plan-only', '--detach']);
    const page = await enter(served, PHONE);
    await page.getByRole('link', { name: 'Review the plan' }).click();
    const plan = page.getByRole('region', { name: 'Plan' });
    const tasks = plan.getByRole('listitem');
    await tasks.first().waitFor();
    const before = await tasks.count();
    await tasks.first().getByRole('button', { name: 'Edit' }).click();
    expect(await tasks.first().getByRole('textbox', { name: 'Description' }).inputValue()).not.toBe('');
    await tasks.first().getByRole('textbox', { name: 'Title' }).fill('First of all');
    await plan
      .getByRole('button', { name: /^Remove/ })
      .last()
      .click();
    await plan.getByRole('button', { name: 'Add a task' }).click();
    await tasks.last().getByRole('textbox', { name: 'Title' }).fill('Write the news');
    await plan.getByRole('status').getByText('"Write the news" needs a description.').waitFor();
    await tasks.last().getByRole('textbox', { name: 'Description' }).fill('One sentence is enough');
    await plan.getByRole('button', { name: 'Move Write the news up' }).click();
    await plan.getByRole('status').getByText('Unsaved changes').waitFor();
    await page.getByRole('link', { name: 'Timeline' }).click();
    await plan.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Plan', exact: true }).click();
    await tasks.first().getByText('First of all').waitFor();
    const shown = RunDocument.parse((await served.scratch.mh(['show', '--json'])).json);
    const queued = shown.tasks.find(({ status }) => status === 'ready' || status === 'waiting')?.key ?? '';
    const priority = `/api/runs/${shown.run}/tasks/${encodeURIComponent(queued)}/priority`;
    const headers = { 'content-type': 'application/json' };
    const sent = await page.evaluate(async ([path, init]) => (await fetch(path, init)).status, [
      priority,
      { method: 'POST', headers, body: '{"priority":3}' },
    ] as const);
    expect(sent).toBe(200);
    await plan
      .getByRole('status')
      .getByText(/Unsaved changes.*changed concurrently/)
      .waitFor();
    expect(await plan.getByRole('button', { name: 'Approve plan' }).count()).toBe(0);
    await plan.getByRole('button', { name: 'Save changes' }).click();
    await plan.getByRole('button', { name: 'Approve plan' }).waitFor();
    expect(await tasks.count()).toBe(before);
    await tasks
      .nth(before - 2)
      .getByText('Write the news')
      .waitFor();
    await tasks.first().getByText('First of all').waitFor();
    await plan.getByRole('button', { name: 'Approve plan' }).click();
    await page.getByText('Done', { exact: true }).first().waitFor();
  });

  it('asks before an unverified result lands, shows the changes of the run, and lands them', async () => {
    await using served = await serveScratch({ files: FILES });
    await served.scratch.mh(['do', 'Add prices', '--rehearse']);
    const page = await enter(served, DESKTOP);
    await page.getByRole('link', { name: 'Add prices' }).first().click();
    await page.getByRole('link', { name: 'Changes', exact: true }).click();
    const changes = page.getByRole('region', { name: 'Changes' });
    await changes.getByRole('checkbox', { name: 'Viewed' }).first().check();
    await changes.getByText('1 viewed').waitFor();
    await page.getByRole('button', { name: /^Land on/ }).click();
    const panel = page.getByRole('region', { name: /^Land on .*\?$/ });
    await panel.getByText('evidence').waitFor();
    expect(await page.getByRole('button', { name: 'Keep as branch' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    expect(await panel.count()).toBe(0);
    await page.getByRole('button', { name: /^Land on/ }).click();
    await panel.getByRole('button', { name: 'Land anyway' }).click();
    await page.getByRole('button', { name: 'Undo landing' }).waitFor();
  });

  it('asks before an unverified result becomes a pull request', async () => {
    await using served = await serveScratch({ files: FILES });
    await served.scratch.mh(['do', 'Add prices', '--rehearse']);
    const page = await enter(served, DESKTOP);
    const landed: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/land')) landed.push(request.postData() ?? '');
    });
    await page.getByRole('link', { name: 'Add prices' }).first().click();
    await page.getByRole('button', { name: 'Open pull request' }).click();
    const panel = page.getByRole('region', { name: 'Open a pull request?' });
    await panel.getByText('evidence').waitFor();
    expect(landed).toEqual([]);
    await panel.getByRole('button', { name: 'Open anyway' }).click();
    // The scratch project has no forge.
    await page
      .getByText(/no remote|forge/i)
      .first()
      .waitFor();
    expect(landed).toEqual([expect.stringContaining('"how":"pr"')]);
  });

  it('lets the user accept the findings on the merge with a base that has moved', async () => {
    await using served = await serveScratch({ files: { ...PRINTING, 'agent.sh': EXCLUDING } });
    const { scratch } = served;
    const check = ['--check', 'cat $(ls lib/* | grep -v -x -f excluded)'];
    await scratch.mh(['job', 'Make it', '--write', '--agent', 'command:./agent.sh', ...check, '--json']);
    await scratch.mh(['approve']);
    writeFileSync(join(scratch.repo, 'lib', 'c'), cargo('theirs'));
    scratch.git('add', '--all');
    scratch.git('commit', '--quiet', '--message=Another test');
    const page = await enter(served, DESKTOP);
    await page.getByRole('link', { name: 'Make it' }).first().click();
    await page.getByRole('button', { name: 'Land on main' }).click();
    const panel = page.getByRole('region', { name: 'Land on main?' });
    await panel
      .getByRole('alert')
      .getByText(/On the merge with main, which has moved/)
      .waitFor();
    await panel.getByRole('button', { name: 'Land with these findings' }).click();
    await page.getByRole('button', { name: 'Undo landing' }).waitFor();
    expect(scratch.git('show', 'main:excluded')).toBe('lib/c');
  });

  it('keeps a failed run in sight, with the end of what failed, of which the whole can be saved', async () => {
    await using served = await serveScratch({ files: FILES });
    const agent = ['--agent', 'command:./failing.sh'];
    const check = ['--check', 'test ! -e made.txt || { seq 200; echo "1 failing: prices"; exit 1; }'];
    await served.scratch.mh(['job', 'Break it', '--write', ...agent, ...check, '--retry', 'none']);
    const page = await enter(served, DESKTOP);
    const needs = page.getByRole('region', { name: 'Needs you' });
    await needs
      .getByText(/1 failing: prices$/)
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Break it' }).first().click();
    await page
      .getByRole('navigation', { name: 'Run views' })
      .getByRole('link', { name: /^Tasks/ })
      .click();
    const retried: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/retry')) retried.push(request.url());
    });
    await page.getByRole('button', { name: 'Retry Break it' }).focus();
    for (let repeats = 0; repeats < 3; repeats += 1) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await page.getByRole('link', { name: 'Break it', exact: true }).first().click();
    await page.getByRole('tab', { name: /^Gates/ }).click();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save the complete output' }).click(),
    ]);
    expect(readFileSync(await saved.path(), 'utf8')).toBe(`${PRINTED}1 failing: prices\n`);
    await page.getByRole('link', { name: 'Home', exact: true }).click();
    await needs.getByRole('button', { name: 'Hide' }).click();
    await page.getByText('Nothing needs you.').waitFor();
    expect(retried).toEqual([]);
  });
});
