import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { canLimitIn, parseCgroup } from '../../src/process/cgroup.ts';
import type { LaunchLimits } from '../../src/process/launch.ts';
import { limitSupport, parseHierarchies } from '../../src/process/limit-groups.ts';
import { runSupervised, type SupervisedEnd } from '../../src/process/supervised.ts';
import { SANDBOX } from '../support/sandbox.ts';
import { PATH, temporaryFolder } from './launching.ts';

const MEGABYTE = 1024 * 1024;
const LIMITS: LaunchLimits = { memoryBytes: 256 * MEGABYTE, processes: 200, openFiles: 1024, diskReserveBytes: 0 };

describe('the groups of cgroup v1', () => {
  const mountinfo = [
    '31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755',
    '32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct',
    '35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory',
    '39 31 0:36 /docker/ab /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids',
    '41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw',
  ].join('\n');

  test('are those of this process, also in a container that sees only its own part', () => {
    const own = '8:pids:/docker/ab/x\n4:memory:/user/ann\n1:cpu,cpuacct:/\n0::/\n';
    expect(parseHierarchies(mountinfo, own)).toEqual({
      cpu: '/sys/fs/cgroup/cpu,cpuacct',
      memory: '/sys/fs/cgroup/memory/user/ann',
      pids: '/sys/fs/cgroup/pids/x',
    });
  });

  test('outside of what is mounted are not used', () => {
    expect(parseHierarchies(mountinfo, '8:pids:/other\n')).toEqual({});
  });
});

describe('cgroup v2 limits resources', () => {
  const group = (path: string, controllers: string) => {
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'cgroup.subtree_control'), controllers);
    writeFileSync(join(path, 'cgroup.procs'), '');
  };

  test('beside our own group, where that contains processes and cannot enable controllers', () => {
    const mount = temporaryFolder();
    const above = join(mount, 'app.slice');
    const own = { mount, path: join(above, 'terminal.scope') };
    group(above, 'memory pids\n');
    mkdirSync(own.path, { recursive: true });
    mkdirSync(join(own.path, 'cgroup.subtree_control'));
    expect([canLimitIn(own.path, own), canLimitIn(above, own)]).toEqual([false, true]);
  });

  test('never outside of the mounted part, and not without both controllers', () => {
    const mount = join(temporaryFolder(), 'mounted');
    group(mount, 'memory\n');
    const own = { mount, path: join(mount, 'scope') };
    expect([canLimitIn(mount, own), canLimitIn(join(mount, '..'), { mount, path: mount })]).toEqual([false, false]);
  });
});

async function supervised(
  script: string,
  limits: Partial<LaunchLimits> = {},
  disk = temporaryFolder(),
): Promise<SupervisedEnd & { output: string }> {
  const work = mkdtempSync(join(disk, 'work-'));
  const end = await runSupervised({
    folder: join(temporaryFolder(), 'check'),
    command: ['sh', '-c', script],
    cwd: work,
    env: { PATH },
    limits: { ...LIMITS, ...limits },
    timeoutMs: 60_000,
    maxOutputBytes: 10 * MEGABYTE,
    signal: new AbortController().signal,
  });
  return { ...end, output: readFileSync(end.outputFile, 'utf8') };
}

const { problem } = limitSupport();
const title = problem === undefined ? 'a program' : `a program (skipped: ${problem})`;

describe.skipIf(problem !== undefined)(title, () => {
  test('that uses too much memory is killed by the system, with that as the reason', async () => {
    const end = await supervised('head -c 600000000 /dev/zero | tail', { memoryBytes: 64 * MEGABYTE });
    expect([end.isProvenSuccess, end.excess]).toEqual([
      false,
      { resource: 'memory', text: 'used more than 64 MB of memory' },
    ]);
  });

  test('that starts processes without end is ended, with that as the reason, and others are not affected', async () => {
    const bomb = supervised('f() { f | f & }; f; sleep 300', { processes: 40 });
    const other = await supervised('sleep 0.1 & wait; echo fine');
    const end = await bomb;
    expect(end.excess).toEqual({ resource: 'processes', text: 'started more than 40 processes and threads' });
    expect([end.isProvenSuccess, other.isProvenSuccess, other.excess]).toEqual([false, true, undefined]);
  });

  test('leaves no group behind', async () => {
    const { output } = await supervised('cat /proc/self/cgroup');
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8');
    const groups = [
      ...Object.values(parseHierarchies(mounts, output)),
      parseCgroup(mounts, output)?.path ?? '/nowhere',
    ];
    expect(output).toMatch(/manyhands-[0-9a-f]{24}/);
    expect(groups.filter((path) => path.includes('manyhands-') && existsSync(path))).toEqual([]);
  });
});

/** The user `nobody`, who can create no groups. */
const AS_NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
const FIXTURE = fileURLToPath(new URL('fixtures/limited-without-groups.ts', import.meta.url));
/** Whether the tests can become that user, who must be able to read them and to start the sandbox. */
const canBeNobody =
  process.getuid?.() === 0 &&
  [
    [process.execPath, '--check', FIXTURE],
    [SANDBOX.program, '--version'],
  ].every(
    // What setpriv starts itself, it starts with the rights of root.
    (command) => spawnSync('setpriv', [...AS_NOBODY.slice(1), 'sh', '-c', 'exec "$@"', 'sh', ...command]).status === 0,
  );

describe.skipIf(SANDBOX.missing || !canBeNobody)('a program of a user who can create no groups', () => {
  const run = async (script: string, processes: number, memoryBytes: number) => {
    const args = [process.execPath, FIXTURE, SANDBOX.program, script, String(processes), String(memoryBytes)];
    const [program = '', ...rest] = [...AS_NOBODY, ...args];
    const { stdout } = await promisify(execFile)(program, rest, { cwd: '/', env: { PATH } });
    return JSON.parse(stdout);
  };

  test('can start only as many processes as it may, in its sandbox, and is ended', async () => {
    const bomb = `exec perl -e 'for (;;) { my $child = fork; if (!defined $child) { sleep 1 } elsif (!$child) { sleep 300; exit } }'`;
    const text = 'started more than 40 processes and threads';
    expect(await run(bomb, 40, 1024 * MEGABYTE)).toEqual({ hasGroups: false, excess: { resource: 'processes', text } });
  });

  test.each([
    ['of its own', `exec perl -e '$x = "x" x 300000000; sleep 60'`],
    [
      'in a file without a name',
      `exec perl -e '$n = "x"; $f = syscall(qx(uname -m) =~ /x86/ ? 319 : 279, $n, 0); open(F, "+<&=", $f); print F "x" x 1000000 for 1 .. 300; sleep 60'`,
    ],
    ['in its private folders', 'head -c 300000000 /dev/zero >/tmp/hog; sleep 60'],
    [
      'in a file system that it mounts',
      `unshare -Urm sh -c 'mkdir /tmp/m && mount -t tmpfs none /tmp/m && head -c 300000000 /dev/zero >/tmp/m/hog; sleep 60'`,
    ],
  ])('is ended when it is seen to use too much memory %s', async (_, hog) => {
    const text = 'used more than 64 MB of memory';
    expect(await run(hog, 40, 64 * MEGABYTE)).toEqual({ hasGroups: false, excess: { resource: 'memory', text } });
  });
});

test('a program has at most as many open files as it may', async () => {
  expect((await supervised('ulimit -n', { openFiles: 99 })).output.trim()).toBe('99');
});

test.runIf(process.platform === 'linux')(
  'on a nearly full disk only the program that writes most is ended, with that as the reason',
  async () => {
    const isFull = { diskReserveBytes: Number.MAX_SAFE_INTEGER };
    const file = join(temporaryFolder(), 'other-continues');
    const other = supervised(`until test -e ${file}; do sleep 0.05; done; echo fine`, isFull);
    const end = await supervised('head -c 30000000 /dev/zero >big; sync big; sleep 300', isFull);
    writeFileSync(file, '');
    expect(end.excess?.resource).toBe('disk');
    expect(end.excess?.text).toMatch(/^wrote \d+ MB, more than anything else that runs/);
    expect((await other).isProvenSuccess).toBe(true);
  },
);

test.runIf(process.platform === 'linux')(
  'on a nearly full disk a program that occupies space without writing is ended, not one that writes a little',
  async () => {
    const isFull = { diskReserveBytes: Number.MAX_SAFE_INTEGER };
    const file = join(temporaryFolder(), 'other-continues');
    const other = supervised(
      `head -c 3000000 /dev/zero >own; until test -e ${file}; do sleep 0.05; done; echo fine`,
      isFull,
    );
    // Without a name, so that no search finds it.
    const end = await supervised('exec 9>big; rm big; fallocate -l 200000000 /proc/self/fd/9; sleep 300', isFull);
    writeFileSync(file, '');
    expect(end.excess?.text).toMatch(/^wrote \d+ MB, more than anything else that runs/);
    expect((await other).isProvenSuccess).toBe(true);
  },
);

/** Only where a file system can be mounted can one have few files. */
const canMount = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

test.skipIf(!canMount)(
  'where the disk can take hardly any more files, the program that makes most is ended, with that as the reason',
  async () => {
    const disk = temporaryFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=200m,nr_inodes=6000', 'tmpfs', disk]);
    try {
      const limits = { diskReserveBytes: 1 };
      const file = join(temporaryFolder(), 'other-continues');
      const many = (count: number) => `perl -e 'for (1 .. ${count}) { open(F, ">", "f$_"); close F }'`;
      const other = supervised(`${many(300)}; until test -e ${file}; do sleep 0.05; done; echo fine`, limits, disk);
      const end = await supervised(`${many(9000)}; sleep 300`, limits, disk);
      writeFileSync(file, '');
      expect(end.excess).toEqual({
        resource: 'files',
        text: expect.stringMatching(/^has \d{4} new or changed files, more than anything else that runs/),
      });
      expect((await other).isProvenSuccess).toBe(true);
    } finally {
      execFileSync('umount', ['--lazy', disk]);
    }
  },
);
