import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { makeScratch, type Scratch } from '../../support/scratch.ts';
import { DESKTOP, openBrowser, PHONE } from './browser.ts';
import { serveDashboard } from './served.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SHOTS = join(ROOT, 'docs/screenshots');
/** An agent that talks, uses a tool or two in words, and is still at it. */
const HAND = `#!/bin/sh
cat > /dev/null
echo "I read the price list and the shelf first."
echo "const total = items.reduce((sum, item) => sum + item.price, 0);" > total.js
sleep 300
`;
const LOOKS = [
  { name: 'light', viewport: DESKTOP, colorScheme: 'light' },
  { name: 'dark', viewport: DESKTOP, colorScheme: 'dark' },
  { name: 'phone', viewport: PHONE, colorScheme: 'light' },
  { name: 'phone-dark', viewport: PHONE, colorScheme: 'dark' },
] as const;

await using scratch = await makeScratch({ files: { 'hand.sh': HAND } });
cpSync(join(ROOT, 'examples/demo/shop'), scratch.repo, { recursive: true });
scratch.git('add', '--all');
scratch.git('commit', '--quiet', '--message=A corner shop');
const served = await serveDashboard(scratch, 0);
const done = await play(scratch);
mkdirSync(SHOTS, { recursive: true });
const browser = await openBrowser();
for (const look of LOOKS) {
  const context = await browser.newContext({ locale: 'en-US', viewport: look.viewport, colorScheme: look.colorScheme });
  const page = await context.newPage();
  await page.goto(await served.link());
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  for (const [name, path] of Object.entries(views(done))) await shoot(page, `${name}-${look.name}`, path);
  await context.close();
}
await browser.close();
await scratch.mh(['stop', '--agents', 'stop']);

/** A day at the shop: one run that went through everything, one that waits for its plan, one at work. */
async function play({ mh, root }: Scratch): Promise<string> {
  const scenario = join(ROOT, 'examples/demo/scenario.yaml');
  const goal = 'A better corner shop';
  await mh(['do', goal, '--rehearse', '--scenario', scenario, '--check', 'npm test']);
  const listed = execFileSync(process.execPath, [join(ROOT, 'bin/manyhands.mjs'), 'ls', '--all', '--json'], {
    env: { ...process.env, HOME: root, MANYHANDS_HOME: scratch.home },
    cwd: scratch.repo,
    encoding: 'utf8',
  });
  const [first]: { run: string }[] = JSON.parse(listed);
  await mh(['do', 'Offer gift cards', '--rehearse', '--plan-only']);
  await mh(['job', 'Add up the prices of a basket', '--write', '--agent', 'command:./hand.sh', '--detach']);
  return first?.run ?? '';
}

function views(run: string): Record<string, string> {
  return {
    home: '/',
    timeline: `/runs/${run}`,
    graph: `/runs/${run}?view=graph`,
    tasks: `/runs/${run}?view=tasks`,
    changes: `/runs/${run}?view=changes`,
    cost: `/runs/${run}?view=cost`,
    attempts: `/runs/${run}/tasks/${encodeURIComponent('implement/1.4')}?view=attempts`,
    transcript: `/runs/${run}/tasks/${encodeURIComponent('implement/1.1')}`,
    diff: `/runs/${run}/tasks/${encodeURIComponent('implement/1.1')}?view=diff`,
    inbox: '/inbox',
    board: '/board',
    history: '/history',
    models: '/models',
    start: '/start',
    usage: '/usage',
    settings: '/settings',
  };
}

async function shoot(page: Page, name: string, path: string): Promise<void> {
  await page.goto(`${served.url}${path}`);
  await page.locator('main h1').first().waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-label="Loading"]') === null);
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(SHOTS, `${name}.png`) });
}
