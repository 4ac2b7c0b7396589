import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeScratch, type Scratch } from '../support/scratch.ts';
import { DESKTOP, openBrowser, validationIssuesOf } from './support/browser.ts';
import { type ServedPage, serveDashboard } from './support/served.ts';

/** An agent that waits for a word to go on, and then writes a greeting. */
const HAND = `#!/bin/sh
cat > /dev/null
echo "Thinking about greetings"
while [ ! -e "$HOME/go" ]; do sleep 0.2; done
date +%s%N >> greeting.txt
`;

let browser: Browser;
let scratch: Scratch;
let served: ServedPage;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  browser = await openBrowser();
  scratch = await makeScratch({ files: { 'README.md': '# Shop\n', 'hand.sh': HAND }, check: 'test -e README.md' });
  served = await serveDashboard(scratch, 0);
  page = await (await browser.newContext({ viewport: DESKTOP, locale: 'en-US' })).newPage();
  complaints = validationIssuesOf(page);
});

afterAll(async () => {
  await browser?.close();
  await scratch?.[Symbol.asyncDispose]();
});

describe('a person in the browser', () => {
  it('is let in by a link that works once', async () => {
    const link = await served.link();
    await page.goto(link);
    await page.getByRole('heading', { name: 'Put the first agents to work' }).waitFor();
    expect(page.url()).toBe(`${served.url}/`);
    const stranger = await (await browser.newContext()).newPage();
    await stranger.goto(link);
    await stranger.getByText('mh serve').or(stranger.getByText('manyhands serve')).first().waitFor();
    expect(await stranger.getByRole('navigation', { name: 'Pages' }).count()).toBe(0);
    await stranger.context().close();
  });

  it('is led by no link to another server, and back to where a link of another page points', async () => {
    const there = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<a href="${served.url}/history?recipe=job">the runs</a>`);
    }).listen(0, '127.0.0.1');
    await once(there, 'listening');
    const other = addressOf(there);
    try {
      for (const to of [`/\t/${other}`, `/.//${other}`, 'http://[']) {
        const led = await page.context().newPage();
        await led.goto(`${await served.link()}&to=${encodeURIComponent(to)}`);
        await led.getByRole('navigation', { name: 'Pages' }).waitFor();
        expect(new URL(led.url()).origin, to).toBe(served.url);
        await led.close();
      }
      const visitor = await page.context().newPage();
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

  it('is told when the server falls silent without a word, and when it speaks again', async () => {
    const patient = await (await browser.newContext({ locale: 'en-US' })).newPage();
    await patient.clock.install();
    await patient.goto(await served.link());
    await patient.getByRole('heading', { name: 'Put the first agents to work' }).waitFor();
    process.kill(served.pid, 'SIGSTOP');
    try {
      await patient.clock.fastForward('01:00');
      await patient.getByText('Not connected').waitFor();
    } finally {
      process.kill(served.pid, 'SIGCONT');
    }
    await patient.getByText('Not connected').waitFor({ state: 'hidden' });
    await patient.context().close();
  });

  it('watches a run, over a reload and over the death of the server, and lands it', async () => {
    await askForGreeting();
    await page.getByRole('link', { name: 'Write a greeting' }).first().click();
    await page.getByText('Running').first().waitFor();
    await page.reload();
    await page.getByText('Running').first().waitFor();

    process.kill(served.pid, 'SIGKILL');
    await page.getByText('Not connected').waitFor();
    served = await serveDashboard(scratch, Number(new URL(served.url).port));
    await page.getByText('Not connected').waitFor({ state: 'hidden', timeout: 60_000 });
    writeFileSync(join(scratch.root, 'go'), '');
    await page.getByText('1 / 1 done').waitFor({ timeout: 60_000 });

    const before = scratch.git('rev-parse', 'main');
    await page.getByRole('button', { name: 'Land on main' }).click();
    await expect.poll(() => scratch.git('rev-parse', 'main')).not.toBe(before);
    expect(scratch.git('show', 'main:greeting.txt')).toMatch(/^\d+$/);
  });

  it('cancels a run in two steps, and has it tried again', async () => {
    rmSync(join(scratch.root, 'go'));
    await askForGreeting();
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByRole('link', { name: 'Write a greeting' }).first().click();
    await page.getByText('Running').first().waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Cancel it' }).click();
    await page.getByText('Cancelled').first().waitFor();
    writeFileSync(join(scratch.root, 'go'), '');
    await page.getByRole('button', { name: /^Retry/ }).click();
    await page.getByText('1 / 1 done').waitFor({ timeout: 60_000 });
  });

  it('finds nothing to complain about in the console but the time without a server', () => {
    expect(complaints.filter((text) => !/net::ERR_/.test(text))).toEqual([]);
  });
});

async function askForGreeting(): Promise<void> {
  const asked = ['job', 'Write a greeting', '--write', '--agent', 'command:./hand.sh', '--detach'];
  expect((await scratch.mh(asked)).code).toBe(0);
}

function addressOf(server: Server): string {
  const address = server.address();
  return typeof address === 'object' && address !== null ? `127.0.0.1:${address.port}` : '';
}
