import { existsSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Scratch } from '../support/scratch.ts';
import { variants } from '../support/variants.ts';
import { agent, makeShop, runAndReport } from './hostile-run.ts';

const FIXES = agent('bend.sh', 'fixes-source');
const SECRET = 'secret-of-the-person';

/** What an agent without a sandbox puts in the place of a file of its attempt or its check, $file. */
const REPLACEMENTS: Record<string, string> = {
  pipe: 'mkfifo "$file"',
  'link to a file of the person': 'ln -s "$HOME/secret.txt" "$file"',
  'link to a device without end': 'ln -s /dev/zero "$file"',
  folder: 'mkdir -p "$file/x"',
  'file that seems to be endless': 'truncate -s 4T "$file"',
  'file that nobody may read': 'touch "$file"; chmod 000 "$file"',
  socket: `perl -e 'socket(S, 1, 1, 0); chdir shift; bind(S, pack("S a*", 1, shift))' "$(dirname "$file")" "$(basename "$file")"`,
  nothing: ':',
};

/** Replaces all files of a folder, also those that appear while it does. */
function replaceAll(folder: string, how: string): string {
  return `for file in "${folder}"/* "${folder}/finished.json" "${folder}/program-exit" "${folder}/cgroup" "${folder}/launch.json"; do rm -rf "$file"; ${how}; done`;
}

async function program(shop: Scratch, text: string): Promise<string> {
  await mkdir(join(shop.root, 'programs'), { recursive: true });
  writeFileSync(join(shop.root, 'programs', 'agent.sh'), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return `command:${join(shop.root, 'programs', 'agent.sh')}`;
}

/** Everything that is shown and kept of a run, and that another one works afterwards. */
async function shownAfter(shop: Scratch): Promise<string> {
  const shown = await Promise.all([['show'], ['logs'], ['report'], ['diff'], ['ls']].map((args) => shop.mh(args)));
  const next = await runAndReport(shop, 'job', 'x', '--agent', FIXES);
  expect([next.code, next.run.status], next.stderr).toEqual([0, 'done']);
  expect(await shop.leftovers()).toEqual([]);
  return shown.map(({ stdout, stderr }) => stdout + stderr).join('\n');
}

const KINDS = variants(
  ['pipe', 'link to a file of the person', 'file that seems to be endless'],
  ['link to a device without end', 'folder', 'file that nobody may read', 'socket', 'nothing'],
);

describe('an agent that replaces every file of its attempt', () => {
  test.each(KINDS)('by a %s ends, keeps nobody waiting, and shows no file of the person', async (kind) => {
    await using shop = await makeShop();
    writeFileSync(join(shop.root, 'secret.txt'), `${SECRET}\n`);
    const replace = replaceAll('$(dirname "$MANYHANDS_PROMPT_FILE")', REPLACEMENTS[kind] ?? '');
    const fix = "printf 'export const add = (a, b) => a + b;\\n' >sum.js";
    const { run } = await runAndReport(
      shop,
      'job',
      'x',
      '--agent',
      await program(shop, `echo works; ${fix}; ${replace}`),
    );
    expect(['done', 'blocked', 'failed', 'held']).toContain(run.status);
    expect(JSON.stringify(run) + (await shownAfter(shop))).not.toContain(SECRET);
  });

  test('by a pipe is ended with its run, and adopted by no engine that then waits', async () => {
    await using shop = await makeShop();
    const replace = replaceAll('$(dirname "$MANYHANDS_PROMPT_FILE")', REPLACEMENTS.pipe ?? '');
    const first = shop.start([
      'job',
      'x',
      '--agent',
      await program(shop, `${replace}; touch "$HOME/replaced"; sleep 600`),
    ]);
    await expect.poll(() => existsSync(join(shop.root, 'replaced')), { timeout: 30_000 }).toBe(true);
    first.kill('SIGKILL');
    await first.done;
    const cancelled = await shop.mh(['cancel', '--json']);
    expect(cancelled.code, cancelled.stderr).toBe(0);
    await shownAfter(shop);
  });
});

/** Lets whoever opens a file wait for this program, also the engine; it never lets go. */
const HOLDS_LEASES = `perl -e '$SIG{IO} = "IGNORE"; for (glob shift) { open(my $f, "<", $_) or next; fcntl($f, 1024, 1) and push @held, $f } exit 1 if !@held; sleep 600'`;

test.runIf(process.platform === 'linux')(
  'an agent that holds leases on the files of its attempt is ended in time, and the engine does not wait for it',
  async () => {
    await using shop = await makeShop({ limits: 'attempts: 1, runtimeSeconds: 3' });
    const held = await program(shop, `${HOLDS_LEASES} "$(dirname "$MANYHANDS_PROMPT_FILE")/[cei]*"`);
    const { code, run } = await runAndReport(shop, 'job', 'x', '--agent', held);
    expect([code, run.status, run.reason]).toEqual([1, 'failed', expect.stringContaining('It took longer than 3 s')]);
    expect(await shop.leftovers()).toEqual([]);
  },
);

describe('a check that replaces every file of its folder', () => {
  test.each(KINDS)('by a %s ends, and proves nothing by that', async (kind) => {
    // Its parent is the shell that waits for its exit code, and has the path of its proof as an argument.
    const proof = `tr '\\0' '\\n' <"/proc/$PPID/cmdline" | grep '/proof$'`;
    const replace = replaceAll('$folder', REPLACEMENTS[kind] ?? '');
    const files = {
      'replace.sh': `folder=$(dirname "$(${proof})"); test -e "$folder/check.json" || exit 0; ${replace}; echo replaced >&2; exit 1\n`,
    };
    await using shop = await makeShop({ check: 'grep -q "a - b" sum.js || exec sh replace.sh', files });
    const { run } = await runAndReport(shop, 'job', 'x', '--agent', FIXES);
    expect(run.status, JSON.stringify(run)).not.toBe('done');
    expect(await shop.leftovers()).toEqual([]);
  });
});
