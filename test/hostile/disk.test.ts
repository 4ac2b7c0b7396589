import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Scratch } from '../support/scratch.ts';
import { variants } from '../support/variants.ts';
import { agent, makeShop, runAndReport } from './hostile-run.ts';

const FIXES = agent('bend.sh', 'fixes-source');
const MEGABYTE = 1024 * 1024;

/** Only where a file system can be mounted can one be full or read-only for root too. */
const canMount = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

describe.runIf(canMount)('a data directory that cannot be written', () => {
  test('one that is read-only is refused with a hint', async () => {
    await using shop = await makeShop();
    using _disk = mounted(shop, 'ro,size=4m');
    const before = await shop.fingerprint();
    const { code, stderr } = await shop.mh(['job', 'x', '--agent', FIXES]);
    expect([code, stderr]).toEqual([3, expect.stringMatching(/No permission|cannot be written|Read-only/i)]);
    expect(stderr).toContain('Check the owner and the permissions');
    expect(await shop.fingerprint()).toBe(before);
  });

  test('one without free space is refused with a hint', async () => {
    await using shop = await makeShop();
    using _disk = mounted(shop, 'size=32k');
    const { code, stderr } = await shop.mh(['job', 'x', '--agent', FIXES]);
    expect([code, stderr]).toEqual([3, expect.stringContaining('could not be written')]);
    expect(stderr).toContain('Free disk space');
  });

  test.each(variants(['2m'], ['3m']))(
    'a run that fills a disk of %s says so and goes on when there is room',
    async (size) => {
      await using shop = await makeShop({ limits: 'freeDiskMb: 0' });
      writeFileSync(join(shop.repo, 'big.bin'), randomBytes(MEGABYTE));
      shop.git('add', '--all');
      shop.git('commit', '--quiet', '--message=Big');
      using disk = mounted(shop, `size=${size}`);
      const before = await shop.fingerprint();
      const full = await runAndReport(shop, 'job', 'x', '--agent', FIXES);
      expect([full.code, full.run.status, full.run.reason]).toEqual([
        4,
        'blocked',
        expect.stringContaining('No space left'),
      ]);
      expect(await shop.fingerprint()).toBe(before);
      expect(await shop.leftovers()).toEqual([]);

      disk.grow('64m');
      const retried = await runAndReport(shop, 'retry', full.run.run);
      expect([retried.code, retried.run.status]).toEqual([0, 'done']);
      expect(shop.git('show', `mh/${full.run.run}:sum.js`)).toContain('a + b');
    },
  );

  test('output that does not fit on the disk is reported, and the task is retried when there is space', async () => {
    await using shop = await makeShop({ limits: 'attempts: 2, freeDiskMb: 0' });
    using disk = mounted(shop, 'size=3m');
    const flood = agent('process.sh', 'many-lines', '/dev/null', '40000');
    const full = await runAndReport(shop, 'job', 'x', '--agent', flood);
    expect([full.code, full.run.status, full.run.reason]).toEqual([
      4,
      'blocked',
      expect.stringMatching(/disk is full|No space left/),
    ]);
    expect(full.stderr).toContain('Free some disk space');
    expect(await shop.leftovers()).toEqual([]);

    disk.grow('256m');
    const retried = await runAndReport(shop, 'retry', full.run.run);
    expect([retried.code, retried.run.status], retried.stderr).toEqual([0, 'done']);
  });
});

/** A file system of its own at the data directory, until it is disposed of. */
function mounted(shop: Scratch, options: string): Disposable & { grow(size: string): void } {
  mkdirSync(shop.home, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `mode=0700,${options}`, 'tmpfs', shop.home]);
  return {
    grow: (size) => execFileSync('mount', ['-o', `remount,size=${size}`, shop.home]),
    [Symbol.dispose]: () => execFileSync('umount', ['--lazy', shop.home]),
  };
}
