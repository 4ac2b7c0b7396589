import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { agent, makeShop, runAndReport } from '../../hostile/hostile-run.ts';
import { expectContainment } from '../../support/contained.ts';

test('a repository with 20,000 files works', async () => {
  await using shop = await makeShop();
  const files = Array.from({ length: 20_000 }, (_, file) => `M 644 inline many/${file % 200}/${file}\ndata 2\nx\n\n`);
  const commit = 'commit refs/heads/main\ncommitter A <a@b> 0 +0000\ndata 4\nMany\nfrom refs/heads/main^0\n';
  execFileSync('git', ['fast-import', '--quiet'], { cwd: shop.repo, input: commit + files.join('') });
  shop.git('reset', '--quiet', '--hard');
  const { run } = await runAndReport(shop, 'job', 'x', '--agent', agent('bend.sh', 'fixes-source'));
  expectContainment(shop.isContained, run);
  expect([run.status, shop.git('diff', '--name-only', 'main', run.commit ?? '')]).toEqual(['done', 'sum.js']);
});
