import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { featuresText } from '../../support/features-project.ts';
import { makeScratch, type Scratch } from '../../support/scratch.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
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
/** Its result is not verified: nothing checks it. */
const NEWS = '#!/bin/sh\ncat > /dev/null\necho "Open on Sundays." > news.txt\n';
const FEATURES = featuresText(['shelf', 'till', 'window'])
  .replace('"id": 2, "category": "core"', '"id": 2, "category": "ui"')
  .replace('"id": 3, "category": "core"', '"id": 3, "category": "ui"');
const TRACKS = 'tracks:\n  stock: { categories: [core], default: true }\n  counter: { categories: [ui] }\n';
const Started = z.object({ run: z.string() });

/** The runs of the pictures. */
export type ShopRuns = Record<
  'done' | 'planned' | 'held' | 'failed' | 'choice' | 'asking' | 'unverified' | 'tracks',
  string
>;

/** The repository of the shop. */
export async function makeShop(): Promise<Scratch> {
  const scratch = await makeScratch({
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
      'news.sh': NEWS,
      'features.json': FEATURES,
      '.manyhands/config.yaml': TRACKS,
      'notes.txt': 'TODO one\nTODO two\n',
      'measure.sh': 'grep -c two notes.txt\n',
      '.manyhands/batches/nightly.yaml': BATCH,
    },
  });
  cpSync(join(ROOT, 'examples/demo/shop'), scratch.repo, { recursive: true });
  scratch.git('add', '--all');
  scratch.git('commit', '--quiet', '--message=A corner shop');
  return scratch;
}

/** A day at the shop: runs that went through everything, wait, failed, are queued or at work. */
export async function playDay({ mh, root, home, repo }: Scratch): Promise<ShopRuns> {
  const scenario = join(ROOT, 'examples/demo/scenario.yaml');
  const goal = 'A better corner shop';
  await mh(['do', goal, '--rehearse', '--scenario', scenario, '--check', 'npm test']);
  const listed = execFileSync(process.execPath, [join(ROOT, 'bin/manyhands.mjs'), 'ls', '--all', '--json'], {
    env: { ...process.env, HOME: root, MANYHANDS_HOME: home },
    cwd: repo,
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
  const unverified = await started(['job', 'Write the news', ...agent('news')]);
  const asks = ['--write', '--scenario', 'asking.yaml', '--detach'];
  const asking = await started(['job', 'Show prices on the shelf', ...asks]);
  const plan = ['--rehearse', '--scenario', scenario, '--plan-only', '--budget', '2'];
  const planned = await started(['do', 'Offers, vouchers and a receipt', ...plan]);
  await mh(['job', 'Count the stock', '--rehearse', '--at', '+8h', '--detach']);
  await mh(['template', 'add', 'shelf', 'shelf.md', '--summary', 'What an item of the shelf needs.']);
  await mh(['kb', 'edit', '--title', 'Ports', '--text', 'Tests take port 0; a fixed port fails in parallel runs.']);
  await mh(['job', 'Add up the prices of a basket', ...agent('hand'), '--detach']);
  await mh(['run', 'queue.yaml', '--agent', 'command:./hand.sh', '--sequential', '--title', 'Till', '--detach']);
  const features = ['--agent', 'command:./hand.sh', '--title', 'Shelf and counter', '--detach'];
  const tracks = await started(['run', 'features.json', ...features]);
  return { done: first?.run ?? '', planned, held, failed, choice, asking, unverified, tracks };
}
