import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { collectConsoleErrors, openBrowser } from './support/browser.ts';
import { serveScratch } from './support/scratch-server.ts';

const SETTINGS = 'agents:\n  hand: { kind: command, command: ./agent.sh }\nlimits: { attempts: 1 }\n';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

it('a schedule is made, moved, started early and cancelled in the settings', async () => {
  await using served = await serveScratch({
    files: { 'agent.sh': '#!/bin/sh\necho $MANYHANDS_TASK >> made.txt\n', '.manyhands/config.yaml': SETTINGS },
  });
  const { scratch } = served;
  const page = await served.enter(await browser.newContext({ locale: 'en-US', timezoneId: 'UTC' }));
  const consoleErrors = collectConsoleErrors(page);
  await page.goto(`${served.url}/settings?view=schedules&dir=${encodeURIComponent(scratch.repo)}`);
  await page.getByText('Nothing is scheduled').waitFor();

  const form = page.getByRole('form', { name: 'New schedule' });
  const create = form.getByRole('button', { name: 'Schedule' });
  await form.getByLabel('Task').fill('Note the time');
  expect(await create.isDisabled(), 'without a time it is no schedule').toBe(true);
  await form.getByLabel('First start').fill(inDays(2));
  await form.getByLabel('Repeat every').fill('12');
  await form.getByLabel('Times in total').fill('2');
  await create.click();
  const card = page.getByRole('article', { name: 'Note the time' });
  const next = card.getByLabel('Next start of Note the time');
  await expect.poll(() => next.inputValue()).toBe(inDays(2));

  await next.fill(inDays(5));
  await card.getByRole('button', { name: 'Change' }).click();
  await page.getByText('The next start is changed').waitFor();
  const listed = async () => (await scratch.mh(['ls', '--json'])).json as { nextAt: string | null; done: number }[];
  expect((await listed())[0]?.nextAt).toBe(`${inDays(5)}:00.000Z`);

  // A time that has passed starts it now; then it waits for its second time, half a day later.
  await next.fill(inDays(-1));
  await card.getByRole('button', { name: 'Change' }).click();
  await card.getByText('done once').waitFor({ timeout: 60_000 });

  await card.getByRole('button', { name: 'Cancel…' }).click();
  await card.getByRole('button', { name: 'Cancel the run' }).click();
  await page.getByText('Nothing is scheduled').waitFor();
  expect(consoleErrors).toEqual([]);
}, 120_000);

/** Noon, this many days from now. */
function inDays(days: number): string {
  return `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)}T12:00`;
}
