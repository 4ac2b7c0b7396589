import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { makeScratch, type Scratch } from '../../support/scratch.ts';
import { DESKTOP, openBrowser, PHONE } from './browser.ts';
import { serveDashboard } from './served.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SHOTS = join(ROOT, 'docs/screenshots');
/** The views to take; without any, all. */
const NAMED = process.argv.slice(2);
/** An agent that talks, uses a tool or two in words, and is still at it. */
const HAND = `#!/bin/sh
cat > /dev/null
echo "I read the price list and the shelf first."
echo "const total = items.reduce((sum, item) => sum + item.price, 0);" > total.js
sleep 300
`;
/** It changes the script of the check, which the guard holds for a person. */
const HELD = "#!/bin/sh\ncat > /dev/null\nprintf 'exit 0 # faster\\n' > check.sh\necho made > made.txt\n";
const FAILING = '#!/bin/sh\ncat > /dev/null\necho "console.log(1" > broken.js\n';
const ASKING = `plays:
  - role: implement
    attempt: 1
    steps:
      - tool: { name: ask_user, with: { question: 'Should prices include taxes?', options: [yes, no], seconds: 0 } }
`;
const QUEUE = `tasks:
  - { id: login, title: Customers can log in, description: Add it }
  - { id: coupons, title: Coupons at the till, description: Add them }
  - { id: receipt, title: Print a receipt, description: Add it, depends_on: [coupons] }
`;
const BATCH =
  'items:\n  - Check the links\n  - title: Changelog\n    prompt: Update the changelog for the next release\n';
const LOOKS = [
  { name: 'light', viewport: DESKTOP, colorScheme: 'light' },
  { name: 'dark', viewport: DESKTOP, colorScheme: 'dark' },
  { name: 'phone', viewport: PHONE, colorScheme: 'light' },
  { name: 'phone-dark', viewport: PHONE, colorScheme: 'dark' },
] as const;

await using scratch = await makeScratch({
  files: {
    'hand.sh': HAND,
    'held.sh': HELD,
    'failing.sh': FAILING,
    'check.sh': 'node --check broken.js\n',
    'broken.js': 'console.log(0)\n',
    'asking.yaml': ASKING,
    'queue.yaml': QUEUE,
    'shelf.md': 'Every item of the shelf has a price, a name and a test.\n',
    'hello.txt': 'hello\n',
    'notes.txt': 'TODO one\nTODO two\n',
    'measure.sh': 'grep -c two notes.txt\n',
    '.manyhands/batches/nightly.yaml': BATCH,
  },
});
cpSync(join(ROOT, 'examples/demo/shop'), scratch.repo, { recursive: true });
scratch.git('add', '--all');
scratch.git('commit', '--quiet', '--message=A corner shop');
/** As on a machine of a user, with the sandbox that is installed. */
const served = await serveDashboard(scratch, 0, { MANYHANDS_BWRAP: 'bwrap' });
const Started = z.object({ run: z.string() });
type Runs = { done: string; planned: string; held: string; failed: string; choice: string };

const runs = await play(scratch);
mkdirSync(SHOTS, { recursive: true });
const browser = await openBrowser();
for (const look of LOOKS) {
  const context = await browser.newContext({ locale: 'en-US', viewport: look.viewport, colorScheme: look.colorScheme });
  const page = await context.newPage();
  await page.goto(await served.link());
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  for (const [name, path] of Object.entries(views(runs)))
    if (NAMED.length === 0 || NAMED.includes(name)) await shoot(page, `${name}-${look.name}`, path);
  await context.close();
}
await browser.close();
await scratch.mh(['stop', '--agents']);

/** A day at the shop: runs that went through everything, wait, failed, are queued or at work. */
async function play({ mh, root }: Scratch): Promise<Runs> {
  const scenario = join(ROOT, 'examples/demo/scenario.yaml');
  const goal = 'A better corner shop';
  await mh(['do', goal, '--rehearse', '--scenario', scenario, '--check', 'npm test']);
  const listed = execFileSync(process.execPath, [join(ROOT, 'bin/manyhands.mjs'), 'ls', '--all', '--json'], {
    env: { ...process.env, HOME: root, MANYHANDS_HOME: scratch.home },
    cwd: scratch.repo,
    encoding: 'utf8',
  });
  const [first]: { run: string }[] = JSON.parse(listed);
  const agent = (name: string) => ['--write', '--agent', `command:./${name}.sh`];
  const started = async (args: string[]) => Started.parse((await mh([...args, '--json'])).json).run;
  const held = await started(['job', 'Make the check faster', ...agent('held'), '--check', 'sh check.sh']);
  const failed = await started(['job', 'Print the opening hours', ...agent('failing'), '--check', 'sh check.sh']);
  const choice = await started([
    'improve',
    '--rounds',
    '1',
    '--scenario',
    join(ROOT, 'examples/improve/scenario.yaml'),
  ]);
  await mh(['job', 'Show prices on the shelf', '--write', '--scenario', 'asking.yaml', '--detach']);
  const planned = await started(['do', 'Offer gift cards', '--rehearse', '--plan-only']);
  await mh(['job', 'Count the stock', '--rehearse', '--at', '+8h', '--detach']);
  await mh(['template', 'add', 'shelf', 'shelf.md', '--summary', 'What an item of the shelf needs.']);
  await mh(['kb', 'edit', '--title', 'Ports', '--text', 'Tests take port 0; a fixed port fails in parallel runs.']);
  await mh(['job', 'Add up the prices of a basket', ...agent('hand'), '--detach']);
  await mh(['run', 'queue.yaml', '--agent', 'command:./hand.sh', '--sequential', '--title', 'Till', '--detach']);
  return { done: first?.run ?? '', planned, held, failed, choice };
}

function views({ done: run, planned, held, failed, choice }: Runs): Record<string, string> {
  return {
    home: '/',
    timeline: `/runs/${run}`,
    graph: `/runs/${run}?view=graph`,
    tasks: `/runs/${run}?view=tasks`,
    changes: `/runs/${run}?view=changes`,
    events: `/runs/${run}?view=events`,
    cost: `/runs/${run}?view=cost`,
    report: `/runs/${run}?view=report`,
    plan: `/runs/${planned}?view=plan`,
    attempts: `/runs/${run}/tasks/${encodeURIComponent('implement/1.4')}?view=attempts`,
    transcript: `/runs/${run}/tasks/${encodeURIComponent('implement/1.1')}`,
    diff: `/runs/${run}/tasks/${encodeURIComponent('implement/1.1')}?view=diff`,
    gates: `/runs/${run}/tasks/${encodeURIComponent('implement/1.4')}?view=gates`,
    held: `/runs/${held}/tasks/${encodeURIComponent('job/1')}?view=diff`,
    failed: `/runs/${failed}`,
    choice: `/runs/${choice}`,
    inbox: '/inbox',
    board: '/board',
    'board-runs': '/board?show=runs',
    history: '/history',
    models: '/models',
    start: '/start',
    usage: '/usage',
    settings: '/settings',
    schedules: '/settings?view=schedules',
    templates: '/templates?name=shelf',
    hosts: '/hosts',
    batches: '/batches',
    knowledge: '/knowledge',
    watcher: '/watch',
    search: '/search?q=prices',
  };
}

async function shoot(page: Page, name: string, path: string): Promise<void> {
  await page.goto(`${served.url}${path}`);
  await page.locator('main h1').first().waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-label="Loading"]') === null);
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(SHOTS, `${name}.png`) });
}
