import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { RunDocument } from '../../src/schema/document.ts';
import { collectConsoleErrors, openBrowser } from './support/browser.ts';
import { type ScratchServer, serveScratch } from './support/scratch-server.ts';

/** Writes down what it is told; waits, prints much, or talks in a terminal if its prompt says so. */
const AGENT = `#!/bin/sh
prompt=$(cat "$MANYHANDS_PROMPT_FILE")
echo "attempt $MANYHANDS_ATTEMPT_NUMBER begins <img src=x onerror=alert(1)>"
case "$prompt" in *print-much*) seq 1 12000 | sed 's/^/said number /' ;; esac
case "$prompt" in *talk*) while read -r line; do echo "heard $line"; [ "$line" = bye ] && break; done ;; esac
case "$prompt" in *stop-waiting*) ;; *wait*) while [ ! -e "$HOME/go" ]; do sleep 0.1; done ;; esac
for each in one two three; do echo "const $each = '$MANYHANDS_ATTEMPT_NUMBER';"; done > made.ts
printf '%s' "$prompt" | grep -c 'Why not a map' > asked.txt || true
echo "attempt $MANYHANDS_ATTEMPT_NUMBER ends"
`;
const SETTINGS =
  'agents:\n  hand: { kind: command, command: ./agent.sh }\nlimits: { attempts: 1, retryDelaySeconds: 0 }\n';

const Started = z.object({ run: z.string() });

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

function serve(): Promise<ScratchServer> {
  return serveScratch({ files: { 'agent.sh': AGENT, '.manyhands/config.yaml': SETTINGS } });
}

/** Starts a job and opens the page of its only task. */
async function openTask(
  served: ScratchServer,
  page: Page,
  options: { goal: string; args?: string[]; view?: string },
): Promise<string> {
  const { goal, args = [], view = 'transcript' } = options;
  const { run } = Started.parse((await served.scratch.mh(['job', goal, '--json', '--detach', ...args])).json);
  const keys = async () =>
    RunDocument.parse((await served.scratch.mh(['show', run, '--json'])).json).tasks.map(({ key }) => key);
  await expect.poll(keys).not.toEqual([]);
  const [task = ''] = await keys();
  const address = `${served.url}/runs/${run}/tasks/${encodeURIComponent(task)}?view=${view}`;
  await page.goto(address);
  return address;
}

describe('the page of a task', () => {
  it('follows an agent live, interrupts it with a message, and shows the transcript after a reload', async () => {
    await using served = await serve();
    const context = await browser.newContext({ locale: 'en-US' });
    const page = await served.enter(context);
    const consoleErrors = collectConsoleErrors(page);
    const address = await openTask(served, page, { goal: 'please wait' });
    const rows = page.getByRole('region', { name: 'Rows' });

    await rows.getByText('attempt 1 begins <img src=x onerror=alert(1)>').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Message…' }).click();
    await page.keyboard.type('You may stop-waiting now');
    await page.getByRole('tab', { name: 'Diff' }).click();
    await page.getByText('No saved work yet').waitFor();
    await page.getByRole('tab', { name: 'Transcript' }).click();
    await page.getByRole('textbox', { name: 'Message to the agent' }).focus();
    await page.getByText('hand is interrupted').waitFor();
    await page.keyboard.press('Control+Enter');

    await rows.getByText('attempt 2 ends').waitFor();
    await rows.getByText('You may stop-waiting now').waitFor();
    await page.reload();
    await rows.getByText('You may stop-waiting now').waitFor();
    await page.goto(`${address}&attempt=1`);
    await rows.getByText('attempt 1 begins').waitFor();
    await expect.poll(() => rows.getByText('You may stop-waiting now').count()).toBe(0);
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save', exact: true }).click(),
    ]);
    expect(readFileSync(await saved.path(), 'utf8')).toContain('attempt 1 begins <img src=x onerror=alert(1)>\n');
    expect(consoleErrors).toEqual([]);
    await context.close();
  });

  it('collects comments on diff lines with the keyboard, keeps them across a reload, and sends them to the agent', async () => {
    await using served = await serve();
    const context = await browser.newContext({ locale: 'en-US' });
    const page = await served.enter(context);
    const consoleErrors = collectConsoleErrors(page);
    await openTask(served, page, { goal: 'make it', view: 'diff' });
    const diff = page.getByRole('region', { name: 'Diff' });
    await diff.getByText("const two = '1';").waitFor();

    await diff.focus();
    await page.keyboard.press('n');
    await page.keyboard.press('n');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('c');
    await page.getByLabel('Comment on lines 2 to 3').waitFor();
    await page.keyboard.type('Why not a map?');
    await page.keyboard.press('Control+Enter');
    await page.getByText('1 comment in your review').waitFor();
    await page.reload();
    await page.getByText('1 comment in your review').waitFor();
    await page.getByText('Attempt 2 starts with your message').waitFor();
    await page.getByRole('button', { name: 'Send review' }).click();

    await page.getByText('No comments yet').waitFor();
    await diff.getByText("const two = '2';").waitFor();
    await page.getByRole('tab', { name: 'Transcript' }).click();
    await page.getByText('"made.ts", lines 2 to 3, as it is now').waitFor();
    expect(consoleErrors).toEqual([]);
    await context.close();
  });

  it('renders a few rows of many, finds any of them, and returns to the newest', async () => {
    await using served = await serve();
    const context = await browser.newContext({ locale: 'en-US' });
    const page = await served.enter(context);
    await openTask(served, page, { goal: 'print-much' });
    const rows = page.getByRole('region', { name: 'Rows' });

    await rows.getByText('attempt 1 ends').first().waitFor();
    await page.getByText(/12,00\d rows/).waitFor();
    expect(await rows.locator('[data-index]').count()).toBeLessThan(100);
    await page.getByLabel('Find in transcript').fill('6123');
    await rows.getByText('said number 6123', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Jump to latest' }).click();
    await rows.getByText('attempt 1 ends').first().waitFor();
    await rows.evaluate((element) => element.scrollTo(0, 0));
    await rows.getByText('attempt 1 begins').waitFor();
    expect(await rows.locator('[data-index]').count()).toBeLessThan(100);
    await context.close();
  });

  it('types into the terminal of an interactive agent, and restores it after a reload', async () => {
    await using served = await serve();
    const context = await browser.newContext({ locale: 'en-US' });
    const page = await served.enter(context);
    const consoleErrors = collectConsoleErrors(page);
    await openTask(served, page, { goal: 'talk to me', args: ['--interactive'], view: 'terminal' });
    const terminal = page.getByRole('region', { name: 'Terminal' });

    await terminal.getByText('attempt 1 begins').first().waitFor();
    await terminal.locator('.xterm').click();
    await page.keyboard.type('hello\n');
    await terminal.getByText('heard hello').first().waitFor();
    await terminal.getByText('Ctrl-Shift-L leaves the terminal.').waitFor();
    await page.keyboard.press('Tab');
    expect(await terminal.locator(':focus').count()).toBe(1);
    await page.keyboard.press('Control+Shift+KeyL');
    expect(await page.getByRole('tab', { name: 'Terminal' }).evaluate((tab) => tab === document.activeElement)).toBe(
      true,
    );
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.press('Escape');
    await page.reload();
    await terminal.getByText('heard hello').first().waitFor();
    await terminal.locator('.xterm').click();
    await page.keyboard.type('bye\n');
    await terminal.getByText('The program has ended').waitFor();
    writeFileSync(join(served.scratch.root, 'go'), '');
    expect(consoleErrors).toEqual([]);
    await context.close();
  });
});
