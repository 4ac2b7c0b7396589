import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scratch } from '../support/scratch.ts';
import { collectConsoleErrors, DESKTOP, openBrowser } from './support/browser.ts';
import { type ScratchServer, serveScratch } from './support/scratch-server.ts';
import { serveDashboard } from './support/served.ts';

/** An agent that waits for a word to go on, and then writes a greeting. */
const HAND = `#!/bin/sh
cat > /dev/null
echo "Thinking about greetings"
while [ ! -e "$HOME/go" ]; do sleep 0.2; done
date +%s%N >> greeting.txt
`;

const NEWCOMER = { name: 'Start your first run' };

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

describe('a user in the browser', () => {
  it('logs in with a link that works once', async () => {
    await using served = await serve();
    await using context = await browser.newContext({ locale: 'en-US' });
    const page = await context.newPage();
    const link = await served.link();
    await page.goto(link);
    await page.getByRole('heading', NEWCOMER).waitFor();
    expect(page.url()).toBe(`${served.url}/`);
    await using other = await browser.newContext();
    const stranger = await other.newPage();
    await stranger.goto(link);
    await stranger.getByText('mh serve').or(stranger.getByText('manyhands serve')).first().waitFor();
    expect(await stranger.getByRole('navigation', { name: 'Pages' }).count()).toBe(0);
  });

  it('is redirected to no other server, and reaches the page that an external link names', async () => {
    await using served = await serve();
    await using context = await browser.newContext({ locale: 'en-US' });
    await served.enter(context);
    const there = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<a href="${served.url}/history?recipe=job">the runs</a>`);
    }).listen(0, '127.0.0.1');
    await once(there, 'listening');
    const other = addressOf(there);
    try {
      for (const to of [`/\t/${other}`, `/.//${other}`, 'http://[']) {
        const led = await context.newPage();
        await led.goto(`${await served.link()}&to=${encodeURIComponent(to)}`);
        await led.getByRole('navigation', { name: 'Pages' }).waitFor();
        expect(new URL(led.url()).origin, to).toBe(served.url);
        await led.close();
      }
      const visitor = await context.newPage();
      await visitor.goto(`http://${other}`);
      await visitor.getByRole('link').click();
      await visitor.getByRole('heading', { name: 'History' }).waitFor();
      expect(visitor.url()).toBe(`${served.url}/history?recipe=job`);
      await visitor.close();
    } finally {
      there.close();
      there.closeAllConnections();
    }
  });

  it('sees when the server stops responding, and when it responds again', async () => {
    await using served = await serve();
    await using context = await browser.newContext({ locale: 'en-US' });
    const page = await context.newPage();
    await page.clock.install();
    await page.goto(await served.link());
    await page.getByRole('heading', NEWCOMER).waitFor();
    process.kill(served.pid, 'SIGSTOP');
    try {
      await page.clock.fastForward('01:00');
      await page.getByText('Not connected').waitFor();
    } finally {
      process.kill(served.pid, 'SIGCONT');
    }
    await page.getByText('Not connected').waitFor({ state: 'hidden' });
  });

  it('watches a run across a reload and a server crash, and lands it', async () => {
    await using served = await serve();
    const { scratch } = served;
    await using context = await browser.newContext({ viewport: DESKTOP, locale: 'en-US' });
    const page = await served.enter(context);
    const consoleErrors = collectConsoleErrors(page);
    await startGreeting(scratch);
    await page.getByRole('link', { name: 'Write a greeting' }).first().click();
    await waitForStatus(page, 'Running');
    await page.reload();
    await waitForStatus(page, 'Running');

    process.kill(served.pid, 'SIGKILL');
    await page.getByText('Not connected').waitFor();
    await serveDashboard(scratch, Number(new URL(served.url).port));
    await page.getByText('Not connected').waitFor({ state: 'hidden', timeout: 60_000 });
    writeFileSync(join(scratch.root, 'go'), '');
    await page.getByText('1 / 1 done').waitFor({ timeout: 60_000 });

    const before = scratch.git('rev-parse', 'main');
    await page.getByRole('button', { name: 'Land on main' }).click();
    await expect.poll(() => scratch.git('rev-parse', 'main')).not.toBe(before);
    expect(scratch.git('show', 'main:greeting.txt')).toMatch(/^\d+$/);
    expect(consoleErrors.filter((text) => !/net::ERR_/.test(text))).toEqual([]);
  });

  it('cancels a run in two steps, and retries it', async () => {
    await using served = await serve();
    const { scratch } = served;
    await using context = await browser.newContext({ viewport: DESKTOP, locale: 'en-US' });
    const page = await served.enter(context);
    const consoleErrors = collectConsoleErrors(page);
    await startGreeting(scratch);
    await page.getByRole('link', { name: 'Write a greeting' }).first().click();
    await waitForStatus(page, 'Running');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Cancel run' }).click();
    await waitForStatus(page, 'Cancelled');
    writeFileSync(join(scratch.root, 'go'), '');
    await page.getByRole('button', { name: /^Retry/ }).click();
    await page.getByText('1 / 1 done').waitFor({ timeout: 60_000 });
    expect(consoleErrors).toEqual([]);
  });
});

function serve(): Promise<ScratchServer> {
  return serveScratch({ files: { 'README.md': '# Shop\n', 'hand.sh': HAND }, check: 'test -e README.md' });
}

async function startGreeting(scratch: Scratch): Promise<void> {
  const command = ['job', 'Write a greeting', '--write', '--agent', 'command:./hand.sh', '--detach'];
  expect((await scratch.mh(command)).code).toBe(0);
}

/** Waits until the page of a run says that it stands so; "Cancelling" is not yet "Cancelled". */
function waitForStatus(page: Page, word: string): Promise<void> {
  return page.locator('main header').getByText(word, { exact: true }).waitFor();
}

function addressOf(server: Server): string {
  const address = server.address();
  return typeof address === 'object' && address !== null ? `127.0.0.1:${address.port}` : '';
}
