import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { cgroupBase, parseCgroup, removeLeftoverGroups, removeTree } from '../../src/process/cgroup.ts';
import { removeLeftoverLimits } from '../../src/process/limit-groups.ts';

test('our own cgroup v2 is found next to cgroup v1', () => {
  const mountinfo = [
    '35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory',
    '41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw',
  ].join('\n');
  expect(parseCgroup(mountinfo, '4:memory:/a\n0::/user.slice/b.scope\n')).toEqual({
    mount: '/sys/fs/cgroup/unified',
    path: '/sys/fs/cgroup/unified/user.slice/b.scope',
  });
});

test('a container sees its own part of the tree', () => {
  const mountinfo = '41 31 0:38 /docker/abc /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw';
  expect(parseCgroup(mountinfo, '0::/docker/abc/x\n')?.path).toBe('/sys/fs/cgroup/x');
  expect(parseCgroup(mountinfo, '0::/elsewhere\n')).toBeUndefined();
});

test('without a cgroup v2 there is none', () => {
  expect(parseCgroup('35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw', '4:memory:/\n')).toBeUndefined();
});

const own = cgroupBase();
const base = own.kind === 'none' ? own : { ...own, path: join(own.path, `test-${process.pid}`) };

test.runIf(base.kind === 'writable')(
  'empty groups of killed engines are removed, new and used ones are not',
  async () => {
    const group = (digit: string) => join(base.kind === 'writable' ? base.path : '', `manyhands-${digit.repeat(24)}`);
    const [empty, used] = [group('e'), group('f')];
    const probe = join(dirname(empty), 'manyhands-probe-1');
    for (const path of [empty, used, probe]) mkdirSync(path, { recursive: true });
    const child = spawn('sleep', ['60']);
    try {
      writeFileSync(join(used, 'cgroup.procs'), String(child.pid));
      expect(removeLeftoverGroups(Date.now(), base)).toBe(0);
      expect([existsSync(empty), existsSync(used)]).toEqual([true, true]);
      expect(removeLeftoverGroups(Date.now() + 61_000, base)).toBe(2);
      expect([existsSync(empty), existsSync(used), existsSync(probe)]).toEqual([false, true, false]);
      mkdirSync(empty);
      expect(removeLeftoverLimits(Date.now() + 61_000, [dirname(empty)])).toBe(1);
      expect([existsSync(empty), existsSync(used)]).toEqual([false, true]);
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
      await expect.poll(() => removeTree(dirname(used))).toBe(true);
    }
  },
);
