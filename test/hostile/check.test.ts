import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeScratch, type Scratch } from '../support/scratch.ts';
import { TESTS_ALL, variants } from '../support/variants.ts';
import { agent, job, SHOP } from './hostile-run.ts';

const NEVER_ENDS = ['sleep 300', 'kill -STOP $$'];

describe.concurrent('a check that fails in any way lets nothing pass', () => {
  test.each(
    variants(
      [
        [
          'forges the exit code of its keeper',
          'cd "$HOME"/data/attempts/*gate*/ && echo 0 >exit; kill -KILL $PPID',
          '',
        ],
        ['never ends', 'sleep 300', 'did not end within 1 s'],
      ],
      [
        ['prints PASS and fails', 'echo PASS; exit 1', 'exit code 1'],
        ['kills its keeper', 'kill -KILL $PPID; sleep 300', 'ended'],
        ['is killed', 'kill -KILL $$', 'exit code 137'],
        ['stops itself', 'kill -STOP $$', 'did not end within 1 s'],
        ['is not there', './no-such-program', '127'],
      ],
    ),
  )('%s', async (_, command, text) => {
    await using shop = await shopWith(command);
    const { code, run } = await job(shop, agent('bend.sh', 'fixes-source'));
    expect(code).not.toBe(0);
    expect(['failed', 'blocked']).toContain(run.status);
    expect([run.commit, run.branch]).toEqual([null, null]);
    expect(run.reason).toContain(text);
    expect(await shop.leftovers()).toEqual([]);
  });
});

describe.concurrent('a check may do anything in its own checkout', () => {
  test.runIf(TESTS_ALL)('its leftover processes end with it', async () => {
    await using shop = await shopWith('setsid sleep 300 & echo $! >>"$HOME/pids"; exit 0');
    const { code, run } = await job(shop, agent('bend.sh', 'fixes-source'));
    expect([code, run.status]).toEqual([0, 'done']);
    expect(await shop.leftovers()).toEqual([]);
    const pids = readFileSync(join(shop.root, 'pids'), 'utf8').trim().split('\n');
    expect(pids.filter((pid) => existsSync(`/proc/${pid}/exe`))).toEqual([]);
  });

  test('its writes do not land', async () => {
    await using shop = await shopWith(
      'for file in *; do [ -d "$file" ] || echo junk >"$file"; done; echo junk >junk.txt',
    );
    const { run } = await job(shop, agent('bend.sh', 'fixes-source'));
    expect(shop.git('show', `mh/${run.run}:sum.js`)).toContain('a + b');
    expect(shop.git('ls-tree', '--name-only', `mh/${run.run}`)).not.toContain('junk');
  });

  test.runIf(TESTS_ALL)('it may even remove the checkout', async () => {
    await using shop = await shopWith('rm -rf "$PWD"; exit 0');
    const { code, run } = await job(shop, agent('bend.sh', 'fixes-source'));
    expect([code, run.status]).toEqual([0, 'done']);
  });
});

test('a check that passes only sometimes lands a tree on which it has passed', async () => {
  const flaky = 'n=$(cat "$HOME/n" 2>/dev/null || echo 0); echo $((n + 1)) >"$HOME/n"; [ $((n % 2)) -eq 1 ]';
  await using shop = await shopWith(flaky, 'attempts: 3');
  const { code, run } = await job(shop, agent('bend.sh', 'fixes-source'));
  expect([code, run.status]).toEqual([0, 'done']);
  const verdicts = run.tasks[0]?.evidence.map(({ verdict }) => verdict);
  expect(verdicts?.at(-1)).toBe('pass');
});

test('a check that floods its output is decided by its exit code, and its stored output is short', async () => {
  await using shop = await shopWith('seq 200000; exit 1');
  const { code, run } = await job(shop, agent('bend.sh', 'fixes-source'));
  expect([code, run.status]).toEqual([1, 'failed']);
  const flood = run.tasks[0]?.evidence.find(({ verdict }) => verdict === 'fail');
  expect(flood?.output?.length).toBeLessThan(20_000);
});

function shopWith(command: string, limits = 'attempts: 1'): Promise<Scratch> {
  const timeoutSeconds = NEVER_ENDS.includes(command) ? 1 : 60;
  const check = `checks:\n  - { name: check, run: ${JSON.stringify(command)}, timeoutSeconds: ${timeoutSeconds} }\n`;
  const settings = `${check}limits: { retryDelaySeconds: 0, ${limits} }\n`;
  return makeScratch({ files: { ...SHOP, '.manyhands/config.yaml': settings } });
}
