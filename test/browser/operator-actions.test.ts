import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TESTS_ALL } from '../support/variants.ts';
import { collectConsoleErrors, openBrowser } from './support/browser.ts';
import { focusByTab } from './support/keyboard.ts';
import { serveScratch } from './support/scratch-server.ts';

const PART = `tasks:
  - { id: good, title: Greet the customer, description: Add it }
  - { id: bad, title: Break the check, description: Add it }
`;
const FILES = {
  'check.sh': 'test ! -e broken.txt\n',
  'part.yaml': PART,
  'parts.sh': '#!/bin/sh\nif grep -q "Break the check"; then echo x > broken.txt; else echo hi > greeting.txt; fi\n',
  'fixable.sh': '#!/bin/sh\nif [ -e "$HOME/fixed" ]; then echo hi > hours.txt; else echo x > broken.txt; fi\n',
};
const CHANGING = /\/(approve|reject|land|retry|cancel|hide)\b/;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

it.runIf(TESTS_ALL)(
  'retries, takes what is good and cancels what is scheduled, with the keyboard alone at 360 px',
  async () => {
    await using served = await serveScratch({ files: FILES });
    const { scratch } = served;
    const check = ['--check', 'sh check.sh'];
    await scratch.mh(['run', 'part.yaml', '--agent', 'command:./parts.sh', ...check, '--title', 'Greetings']);
    await scratch.mh(['job', 'Opening hours', '--write', '--agent', 'command:./fixable.sh', ...check]);
    await scratch.mh(['job', 'Count the stock', '--rehearse', '--at', '+2h', '--detach']);
    const context = await browser.newContext({ locale: 'en-US', viewport: { width: 360, height: 740 } });
    const page = await served.enter(context);
    const consoleErrors = collectConsoleErrors(page);
    const sent: string[] = [];
    page.on('request', (request) => {
      const path = new URL(request.url()).pathname;
      if (request.method() !== 'GET' && CHANGING.test(path)) sent.push(path.split('/').at(-1) ?? '');
    });
    const press = async (target: Locator, times = 1) => {
      await focusByTab(page, target);
      for (let pressed = 0; pressed < times; pressed += 1) await page.keyboard.press('Enter');
    };
    const rows = page.getByRole('region', { name: 'Needs you' }).getByRole('listitem');
    const row = (title: string) => rows.filter({ hasText: title });

    // What is good of a run that is partly done: one key to the changes, one to the reasons, one that lands.
    await press(row('Greetings').getByRole('link', { name: 'Take what is good' }));
    await page.getByRole('heading', { name: 'greeting.txt' }).waitFor();
    await press(page.getByRole('button', { name: 'Land on main' }), 3);
    const panel = page.getByRole('region', { name: 'Land on main?' });
    await panel.getByRole('button', { name: 'Land anyway' }).waitFor();
    expect(sent).toEqual([]);
    await press(panel.getByRole('button', { name: 'Land anyway' }));
    await expect.poll(() => scratch.git('ls-tree', '--name-only', 'main')).toContain('greeting.txt');

    // A failed run: one key from Home.
    writeFileSync(join(scratch.root, 'fixed'), '');
    await page.goto(served.url);
    await row('Opening hours')
      .getByText('broken.txt')
      .or(row('Opening hours').getByText('exit code 1'))
      .first()
      .waitFor();
    await press(row('Opening hours').getByRole('button', { name: 'Retry' }));
    await page.getByRole('region', { name: 'Recent' }).getByText('Opening hours').first().waitFor();

    // A scheduled run: one key to its page, and a key that is held down cancels nothing.
    await page.goto(served.url);
    await press(page.getByRole('article', { name: 'Count the stock' }).getByRole('link', { name: 'Count the stock' }));
    await page
      .getByText(/scheduled for/)
      .first()
      .waitFor();
    await press(page.getByRole('button', { name: 'Cancel' }), 4);
    await page.keyboard.press('Escape');
    expect(sent).toEqual(['land', 'retry']);
    await press(page.getByRole('button', { name: 'Cancel' }));
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Cancelled').first().waitFor();
    expect(sent).toEqual(['land', 'retry', 'cancel']);
    expect(consoleErrors).toEqual([]);
    await context.close();
  },
  120_000,
);
