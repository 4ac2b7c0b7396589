import { describe, expect, test } from 'vitest';
import type { Scratch } from '../support/scratch.ts';
import { variants } from '../support/variants.ts';
import { agent, makeShop, type RunResult, runAndReport, steering } from './hostile-run.ts';

const GREEN = 'true';

describe.concurrent('an invalid plan is refused with the reason, and none of its tasks is created', () => {
  test.each(
    variants(
      [['no plan at all', 'no structured output']],
      [
        ['circle', 'has a cycle: a needs c needs b needs a'],
        ['itself', 'needs itself'],
        ['three-hundred', '<=200 items'],
        ['twins', 'two tasks have the id "a"'],
        ['stranger', 'needs "nobody", which is not in the plan'],
        ['empty', '>=1 items'],
      ],
    ),
  )('%s', async (misbehaviour, reason) => {
    await using shop = await makeShop({ check: GREEN, limits: 'attempts: 2' });
    const { code, run } = await plan(shop, misbehaviour);
    expect([code, run.status, run.reason]).toEqual([1, 'failed', expect.stringContaining(reason)]);
    expect(run.tasks.map(({ key, attempts }) => [key, attempts])).toEqual([['plan/1', 2]]);
    expect(shop.git('branch', '--list', 'mh/*')).toBe('');
  });
});

test('a planner whose plan was refused gets the reason and another attempt', async () => {
  await using shop = await makeShop({ check: GREEN, limits: 'attempts: 2' });
  const { code, run } = await plan(shop, 'circle', 'has a cycle');
  expect([code, run.status]).toEqual([0, 'done']);
  expect(run.tasks.map(({ key, attempts }) => [key, attempts])).toEqual([
    ['plan/1', 2],
    ['implement/1.1', 1],
    ['review/1', 1],
  ]);
});

test('unusual ids of a plan never become a file, a branch or an option', async () => {
  await using shop = await makeShop({ check: GREEN });
  const before = await shop.fingerprint();
  const { code, run } = await plan(shop, 'odd-ids');
  expect([code, run.status]).toEqual([0, 'done']);
  const work = run.tasks.filter(({ role }) => role === 'implement');
  expect(work.map(({ key }) => key)).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((place) => `implement/1.${place}`));
  expect(await shop.fingerprint()).toBe(before);
});

test('escape sequences in a plan reach no terminal raw', async () => {
  await using shop = await makeShop({ check: GREEN });
  const printed = await plan(shop, 'escapes');
  const shown = [printed, await shop.mh(['show']), await shop.mh(['logs'])];
  for (const { stdout, stderr } of shown) expect(steering(stdout + stderr)).toEqual([]);
});

function plan(shop: Scratch, ...words: string[]): Promise<RunResult> {
  return runAndReport(shop, 'do', 'Make files', '--agent', agent('plan.mjs', ...words));
}
