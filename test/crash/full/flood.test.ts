import { expect, test } from 'vitest';
import { agent, job, makeShop } from '../../hostile/hostile-run.ts';
import { expectContainment } from '../../support/contained.ts';

test('100,000 lines at once are all stored', async () => {
  await using shop = await makeShop();
  const { run } = await job(shop, agent('process.sh', 'many-lines', '/dev/null', '100000'));
  expect(run.status).toBe('done');
  expectContainment(shop.isContained, run);
  const lines = (await shop.mh(['logs'])).stdout
    .split('\n')
    .flatMap((line) => / \[TEXT\] (\d+)$/.exec(line)?.[1] ?? []);
  expect(lines).toEqual(Array.from({ length: 100_000 }, (_, index) => String(index + 1)));
});

test('a line of 50 MB is truncated, and the omitted bytes are counted', async () => {
  await using shop = await makeShop();
  const { run } = await job(shop, agent('process.sh', 'long-line', '/dev/null', '50000000'));
  expect(run.status).toBe('done');
  expectContainment(shop.isContained, run);
  expect((await shop.mh(['logs'])).stdout).toContain(`${50_000_000 - 1024 * 1024} bytes are not shown`);
});
