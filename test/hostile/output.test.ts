import { describe, expect, test } from 'vitest';
import type { Scratch } from '../support/scratch.ts';
import { TESTS_ALL } from '../support/variants.ts';
import { agent, job, makeShop, runAndReport, steering } from './hostile-run.ts';

describe.concurrent('whatever an agent prints, the attempt continues and its output can be read', () => {
  test.runIf(TESTS_ALL)('an agent that truncates its own output loses nothing of it', async () => {
    await using shop = await makeShop();
    expect(await logsAfter(shop, 'truncates-output')).toMatch(/before[\s\S]*after/);
  });

  test('many lines are all stored', async () => {
    await using shop = await makeShop();
    const logs = await logsAfter(shop, 'many-lines', '20000');
    const lines = logs.split('\n').filter((line) => line.includes('[TEXT]'));
    expect(lines).toHaveLength(20_000);
    expect(lines.at(-1)).toMatch(/ 20000$/);
  });

  test('an endless line is truncated, and the omitted bytes are counted', async () => {
    await using shop = await makeShop();
    const logs = await logsAfter(shop, 'long-line', '20000000');
    expect(logs).toContain(`${20_000_000 - 1024 * 1024} bytes are not shown`);
    expect(logs.length).toBeLessThan(1_100_000);
    expect(logs).toMatch(/ end\n/);
  });

  test('binary bytes, and half a result, are shown as text', async () => {
    await using shop = await makeShop();
    const logs = await logsAfter(shop, 'bad-text');
    expect(logs).toContain('not utf8: \ufffd\ufffd');
    expect(logs).toContain('{"half": [1, 2');
    expect(steering(logs)).toEqual([]);
  });

  test.runIf(TESTS_ALL)('an excessively nested result is text and not a result', async () => {
    await using shop = await makeShop();
    expect(await logsAfter(shop, 'deep-json')).toContain('[[[[');
  });

  test('escape sequences reach no terminal raw', async () => {
    await using shop = await makeShop();
    const result = await job(shop, agent('process.sh', 'escapes'));
    const shown = await Promise.all([shop.mh(['logs']), shop.mh(['show']), shop.mh(['ls'])]);
    for (const { stdout, stderr } of [result, ...shown]) expect(steering(stdout + stderr)).toEqual([]);
    expect(shown[0]?.stdout).toContain('red');
  });
});

test('escape sequences in names of files reach no terminal raw', async () => {
  await using shop = await makeShop();
  const result = await job(shop, agent('process.sh', 'escaped-name'));
  expect(result.run.status).toBe('held');
  const shown = await Promise.all([shop.mh(['show']), shop.mh(['salvage']), shop.mh(['diff'])]);
  for (const { stdout, stderr } of [result, ...shown]) expect(steering(stdout + stderr)).toEqual([]);
});

test('escape sequences in a task reach no terminal raw', async () => {
  await using shop = await makeShop();
  const escapes = '\u001b]0;owned\u0007\u001b[2J\u009b2J';
  const result = await runAndReport(shop, 'job', `${escapes}Mend the sum`, '--agent', agent('bend.sh', 'fixes-source'));
  const shown = await Promise.all([shop.mh(['ls']), shop.mh(['show']), shop.mh(['logs'])]);
  for (const { stdout, stderr } of [result, ...shown]) expect(steering(stdout + stderr)).toEqual([]);
  expect(result.run.title).toContain('Mend the sum');
});

async function logsAfter(shop: Scratch, ...words: [string, string?]): Promise<string> {
  const [misbehaviour, amount] = words;
  const { run } = await job(
    shop,
    agent('process.sh', misbehaviour, '/dev/null', ...(amount === undefined ? [] : [amount])),
  );
  expect(run.status).toBe('done');
  return (await shop.mh(['logs'])).stdout;
}
