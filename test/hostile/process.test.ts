import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { containment } from '../../src/process/terminate.ts';
import type { Scratch } from '../support/scratch.ts';
import { variants } from '../support/variants.ts';
import { agent, job, makeShop, savedFiles } from './hostile-run.ts';

const QUICK = 'attempts: 1, inactivitySeconds: 2, runtimeSeconds: 60';

describe.concurrent('processes that an agent leaves behind end with it, and its work lands', () => {
  test.each(variants(['double-fork'], ['holds-output', 'session', 'two-hundred']))('%s', async (misbehaviour) => {
    await using shop = await makeShop();
    const { run } = await misbehave(shop, misbehaviour);
    expect(run.status).toBe('done');
  });

  test.runIf(containment().kind === 'cgroup').each([
    ['nameless', 'nameless'],
    ['nameless and without the record of the group', 'nameless-unrecorded'],
  ])('%s, where there is a cgroup', async (_, misbehaviour) => {
    await using shop = await makeShop();
    const { run } = await misbehave(shop, misbehaviour);
    expect(run.status).toBe('done');
  });
});

describe.concurrent('an agent that does not end is ended, does not succeed, and its work is saved', () => {
  test.each(
    variants(
      [
        ['ignores-term', QUICK, 'It wrote nothing for 2 s'],
        ['never-ends', 'attempts: 1, runtimeSeconds: 2', 'It took longer than 2 s'],
      ],
      [
        ['stops-itself', QUICK, 'It wrote nothing for 2 s'],
        ['silent', QUICK, 'It wrote nothing for 2 s'],
        ['result-then-hangs', QUICK, 'It wrote nothing for 2 s'],
        ['fails-after-work', QUICK, 'It ended with exit code 3'],
      ],
    ),
  )('%s', async (misbehaviour, limits, reason) => {
    await using shop = await makeShop({ limits });
    const { code, run } = await misbehave(shop, misbehaviour);
    expect([code, run.status, run.reason]).toEqual([1, 'failed', expect.stringContaining(reason)]);
    expect(savedFiles(shop, 'a + b')).toContain('sum.js');
    expect(shop.git('branch', '--list', 'mh/*')).toBe('');
  });
});

test('an agent that forges its exit code and kills its shim does not succeed', async () => {
  await using shop = await makeShop();
  const { code, run } = await misbehave(shop, 'forges-exit');
  expect([code, run.status, run.reason]).toEqual([1, 'failed', expect.stringContaining('without changing anything')]);
});

test('an agent that kills its shim counts as interrupted and is retried', async () => {
  await using shop = await makeShop({ limits: 'attempts: 2' });
  const { run } = await misbehave(shop, 'kills-its-keeper-once');
  expect([run.status, run.tasks[0]?.attempts]).toEqual(['done', 2]);
});

/** Runs one case and makes sure that nothing it started is left. */
async function misbehave(shop: Scratch, misbehaviour: string) {
  const pids = join(shop.root, 'pids');
  const result = await job(shop, agent('process.sh', misbehaviour, pids));
  const started = existsSync(pids) ? readFileSync(pids, 'utf8').trim().split('\n') : [];
  expect(started.filter(isAlive)).toEqual([]);
  expect(await shop.leftovers()).toEqual([]);
  return result;
}

function isAlive(pid: string): boolean {
  try {
    return !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    // There is no such process any more.
    return false;
  }
}
