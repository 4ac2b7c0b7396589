import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { identify, liveness, type ProcessIdentity } from '../../src/process/identity.ts';
import { ending } from '../../src/process/launch.ts';
import { listedAfterNow, type ProcessListing } from '../../src/process/list-processes.ts';
import { containment, sweep, type Target, terminate } from '../../src/process/terminate.ts';
import { readIfThere, start, waitForOutput } from './launching.ts';

/** Without the record of its cgroup a launch can only be found by its process tree. */
function forgetCgroup({ folder }: Target): void {
  rmSync(join(folder, 'cgroup'), { force: true });
}

/** The identities of processes whose numbers a program has printed as `pid <n>`. */
async function output(target: Target, count: number): Promise<ProcessIdentity[]> {
  const [text] = await waitForOutput(join(target.folder, 'stdout'), new RegExp(`(pid \\d+\\n[^]*){${count}}`));
  return [...text.matchAll(/pid (\d+)/g)].flatMap((match) => identify(Number(match[1])) ?? []);
}

const DAEMON = `setsid sh -c '(trap "" TERM HUP; echo pid $(exec sh -c "echo \\$PPID"); exec sleep 60) & exit' &`;
/** Only its first thread ends, so that the kernel shows it as a zombie, and without an environment. */
const HIDDEN = [
  'import ctypes, os, platform, signal, threading, time',
  'def rest(): time.sleep(0.1); print("pid", os.getpid(), flush=True); time.sleep(60)',
  'signal.signal(signal.SIGTERM, signal.SIG_IGN)',
  'threading.Thread(target=rest).start()',
  'ctypes.CDLL(None).syscall(60 if platform.machine() == "x86_64" else 93, 0)',
].join('\n');

const TREES: [what: string, script: string, count: number][] = [
  ['a program that ignores the request', `trap '' TERM; echo pid $$; sleep 60; sleep 60`, 1],
  ['a grandchild with a session of its own', `setsid sh -c 'trap "" TERM; echo pid $$; sleep 60; sleep 60' & wait`, 1],
  ['a daemon whose parents are gone', `${DAEMON} echo pid $$; sleep 60`, 2],
  ['a stopped program', 'echo pid $$; kill -STOP $$', 1],
  [
    'a child without our environment',
    `trap '' TERM; env -i sh -c 'echo pid $$; sleep 60; sleep 60' & wait; sleep 60`,
    1,
  ],
  ...(existsSync('/usr/bin/python3')
    ? [['a program that hides behind a zombie', `/usr/bin/python3 -c '${HIDDEN}'`, 1] as [string, string, number]]
    : []),
];

for (const mode of ['cgroup', 'process-tree']) {
  for (const [what, script, count] of TREES) {
    test.skipIf(mode === 'cgroup' && containment().kind !== 'cgroup')(`ends ${what}, by ${mode}`, async () => {
      const target = await start(script);
      if (mode === 'process-tree') forgetCgroup(target);
      const identities = await output(target, count);
      expect(identities.map(liveness)).toEqual(Array(count).fill('alive'));
      await terminate(target, { graceMs: 100 });
      expect([...identities, target.identity].map(liveness)).toEqual(Array(count + 1).fill('gone'));
    });
  }
}

test('a program that ends on SIGTERM keeps its exit code', async () => {
  const target = await start(`trap 'echo bye; exit 3' TERM; echo pid $$; while :; do sleep 60 & wait; done`);
  await output(target, 1);
  const end = ending(target.folder, target.identity);
  await terminate(target, { graceMs: 20_000 });
  expect(await end).toEqual({ kind: 'exited', code: 3 });
  expect(readFileSync(join(target.folder, 'stdout'), 'utf8')).toContain('bye');
});

test('a stopped program is continued to handle SIGTERM', async () => {
  const target = await start(`trap 'exit 3' TERM; echo pid $$; kill -STOP $$; sleep 60`);
  await output(target, 1);
  await terminate(target, { graceMs: 20_000 });
  expect(await ending(target.folder, target.identity)).toEqual({ kind: 'exited', code: 3 });
});

test('piped output after SIGTERM is kept', async () => {
  const script = `trap 'echo bye; exit 3' TERM; echo pid $$; while :; do sleep 60 & wait; done`;
  const target = await start(script, { pipeOutput: true });
  await output(target, 1);
  await terminate(target, { graceMs: 20_000 });
  expect(await ending(target.folder, target.identity)).toEqual({ kind: 'exited', code: 3 });
  expect(readFileSync(join(target.folder, 'stdout'), 'utf8')).toContain('bye');
});

for (const mode of ['cgroup', 'process-tree']) {
  test.skipIf(mode === 'cgroup' && containment().kind !== 'cgroup')(
    `finds a daemon that was left after exit 0, by ${mode}`,
    async () => {
      const target = await start(`${DAEMON} sleep 0.2; exit 0`);
      if (mode === 'process-tree') forgetCgroup(target);
      const [daemon] = await output(target, 1);
      expect(await ending(target.folder, target.identity)).toEqual({ kind: 'exited', code: 0 });
      expect(daemon && liveness(daemon)).toBe('alive');
      expect(await sweep(target)).toBe(1);
      expect(daemon && liveness(daemon)).toBe('gone');
      expect(await sweep(target)).toBe(0);
    },
  );
}

test("another launch is not signalled, even when its shim's pid is mistaken for ours", async () => {
  const other = await start('echo pid $$; sleep 60');
  const ours = await start('exit 0');
  await output(other, 1);
  await ending(ours.folder, ours.identity);
  const wrongTarget = { ...ours, identity: { ...other.identity, startTime: '1' } };
  await terminate(wrongTarget, { graceMs: 10 });
  expect(liveness(other.identity)).toBe('alive');
});

test('no process of another boot is signalled', async () => {
  const target = await start('echo pid $$; sleep 60');
  await output(target, 1);
  await terminate({ ...target, identity: { ...target.identity, boot: 'another' } }, { graceMs: 10 });
  expect(liveness(target.identity)).toBe('alive');
});

test('a token that is too short is refused', async () => {
  const target = await start('exit 0');
  await expect(sweep({ ...target, token: '' })).rejects.toThrow('token');
});

test.skipIf(containment().kind !== 'cgroup')('the cgroup of a launch is removed at the end', async () => {
  const target = await start('exit 0');
  const path = readFileSync(join(target.folder, 'cgroup'), 'utf8');
  expect(existsSync(path)).toBe(true);
  await ending(target.folder, target.identity);
  await sweep(target);
  expect(existsSync(path)).toBe(false);
});

test('a record with the cgroup of another program is not used', async () => {
  const other = await start('echo pid $$; sleep 60');
  const ours = await start('exit 0');
  await output(other, 1);
  await ending(ours.folder, ours.identity);
  const path = readIfThere(join(ours.folder, 'cgroup'));
  onTestFinished(() => writeFileSync(join(ours.folder, 'cgroup'), path));
  writeFileSync(join(ours.folder, 'cgroup'), readIfThere(join(other.folder, 'cgroup')));
  expect(await sweep(ours)).toBe(0);
  expect(liveness(other.identity)).toBe('alive');
});

test('sweeps at the same time share a listing, and each ends the processes of its own launch', async () => {
  const targets = await Promise.all(
    [`${DAEMON} sleep 0.2; exit 0`, 'exit 0', `${DAEMON} sleep 0.2; exit 0`].map((script) => start(script)),
  );
  for (const target of targets) forgetCgroup(target);
  const daemons = (await Promise.all([output(targets[0] as Target, 1), output(targets[2] as Target, 1)])).flat();
  for (const { folder, identity } of targets) await ending(folder, identity);
  expect(daemons.map(liveness)).toEqual(['alive', 'alive']);
  expect(await Promise.all(targets.map(sweep))).toEqual([1, 0, 1]);
  expect(daemons.map(liveness)).toEqual(['gone', 'gone']);
});

test('a listing begins after the call, also when another one is awaited', async () => {
  await listedAfterNow();
  const first = listedAfterNow();
  const child = spawn('sleep', ['60']);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  const [shared, later] = [await listedAfterNow(), await first.then(() => listedAfterNow())];
  expect(shared.entries.some(({ pid }) => pid === child.pid)).toBe(true);
  expect(later.entries.some(({ pid }) => pid === child.pid)).toBe(true);
});

test('a listing shortly after another one has what started since, and not what ended since', async () => {
  const sleeper = async () => {
    const child = spawn('sleep', ['60']);
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child, 'spawn');
    return child;
  };
  const [ended, kept] = [await sleeper(), await sleeper()];
  const before = await listedAfterNow();
  const started = await sleeper();
  ended.kill('SIGKILL');
  await once(ended, 'exit');
  const after = await listedAfterNow();
  const shown = ({ entries }: ProcessListing) =>
    [ended, kept, started].map((child) => entries.some(({ pid, isEnded }) => pid === child.pid && !isEnded));
  expect([shown(before), shown(after)]).toEqual([
    [true, true, false],
    [false, true, true],
  ]);
});
