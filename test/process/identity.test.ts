import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { identify, liveness, livenessFrom, ProcessIdentity } from '../../src/process/identity.ts';
import { parseProcStat, probeProc } from '../../src/process/proc-stat.ts';
import { parsePs, readPsProbe } from '../../src/process/ps.ts';
import { until } from '../support/until.ts';

function self(): ProcessIdentity {
  const identity = identify(process.pid);
  if (identity === undefined) throw new Error('no identity of our own');
  return identity;
}

test('a running process is alive, and its identity survives JSON', () => {
  expect(liveness(ProcessIdentity.parse(JSON.parse(JSON.stringify(self()))))).toBe('alive');
});

test('a process whose pid was reused is gone', () => {
  expect(liveness({ ...self(), startTime: '1' })).toBe('gone');
});

test('a process that ended is gone', async () => {
  const child = spawn('sleep', ['60']);
  const identity = identify(child.pid ?? 0);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(identity && liveness(identity)).toBe('gone');
});

test('a zombie is gone although it answers signals', async () => {
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [chunk] = await once(parent.stdout, 'data');
  const pid = Number(String(chunk));
  const identity = identify(pid);
  process.kill(pid, 'SIGKILL');
  await until(() => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '), 'the child is a zombie');
  process.kill(pid, 0);
  expect(identity && liveness(identity)).toBe('gone');
  expect(identify(pid)).toBeUndefined();
});

test('a process of another boot is gone, one of another pid namespace is unknown', () => {
  expect(liveness({ ...self(), boot: 'another' })).toBe('gone');
  expect(liveness({ ...self(), pidNamespace: 'pid:[1]' })).toBe('unknown');
});

test('a failed probe is unknown, never gone', () => {
  expect(livenessFrom({ kind: 'failed' }, '1')).toBe('unknown');
  expect(readPsProbe(7, null, '')).toEqual({ kind: 'failed' });
  expect(readPsProbe(7, 2, '')).toEqual({ kind: 'failed' });
});

test('a program name with spaces and brackets does not shift the fields of stat', () => {
  const line = readFileSync(`/proc/${process.pid}/stat`, 'utf8').replace(/\(.*\)/, '(a) R (b c)');
  const found = probeProc(process.pid);
  expect(parseProcStat(line)).toEqual(found.kind === 'found' ? found.entry : undefined);
});

test('a zombie with a thread that runs has not ended, and one at its end is known', () => {
  const stat = (state: string, flags: number, threads: number) =>
    parseProcStat(`7 (cat) ${state} 1 7 7 0 -1 ${flags} 0 0 0 0 0 0 0 0 20 0 ${threads} 0 900 0 0`);
  expect(stat('Z', 0x4, 1)).toMatchObject({ isEnded: true });
  expect(stat('Z', 0x4, 2)).toEqual(expect.not.objectContaining({ isEnding: true }));
  expect(stat('Z', 0x4, 2)).toMatchObject({ isEnded: false });
  expect(stat('R', 0x4, 1)).toMatchObject({ isEnded: false, isEnding: true });
  expect(stat('R', 0, 1)).toEqual({ pid: 7, parent: 1, group: 7, session: 7, isEnded: false, startTime: '900' });
});

test('the output of ps on macOS is read: start time, group, zombies', () => {
  const recorded = [
    '  501     1   501 Ss   Sat Nov 14 09:12:01 2026    ',
    ' 7313   501  7313 S+   Sun Nov 15 20:13:53 2026    ',
    ' 7400  7313  7313 Z    Sun Nov 15 20:13:54 2026    ',
    '',
  ].join('\n');
  expect(parsePs(recorded)).toHaveLength(3);
  const alive = readPsProbe(7313, 0, recorded);
  expect(alive).toMatchObject({ kind: 'found', entry: { parent: 501, group: 7313, isEnded: false } });
  expect(livenessFrom(alive, 'Sun Nov 15 20:13:53 2026')).toBe('alive');
  expect(livenessFrom(alive, 'Sun Nov 15 20:13:52 2026')).toBe('gone');
  expect(livenessFrom(readPsProbe(7400, 0, recorded), 'Sun Nov 15 20:13:54 2026')).toBe('gone');
  expect(readPsProbe(9, 1, '')).toEqual({ kind: 'none' });
});
