import { expect, test } from 'vitest';
import type { ProcessEntry } from '../../src/process/proc-stat.ts';
import { selectDescendants } from '../../src/process/terminate.ts';

const SHIM = { boot: 'b', pidNamespace: 'n', pid: 100, startTime: '5' };
const NOBODY = { tokenHolders: new Set<ProcessEntry>(), contained: new Set<number>(), found: new Set<string>() };

function entry(pid: number, changes: Partial<ProcessEntry> = {}): ProcessEntry {
  return { pid, parent: 1, group: pid, session: pid, isEnded: false, startTime: '9', ...changes };
}

const pids = (entries: ProcessEntry[]) => entries.map(({ pid }) => pid).sort((a, b) => a - b);

test('children, their children, and all processes in the session belong to the program', () => {
  const table = [
    entry(100, { startTime: '5' }),
    entry(101, { parent: 100 }),
    entry(102, { parent: 101 }),
    entry(103, { session: 100 }),
    entry(200),
  ];
  expect(pids(selectDescendants(table, { ...NOBODY, shim: SHIM }))).toEqual([100, 101, 102, 103]);
});

test('a session whose number was reused is not ours', () => {
  const reused = [entry(100, { startTime: '8' }), entry(101, { parent: 100, session: 100 })];
  expect(selectDescendants(reused, { ...NOBODY, shim: SHIM })).toEqual([]);
  const leaderless = [entry(101, { session: 100 })];
  expect(selectDescendants(leaderless, { ...NOBODY, shim: SHIM })).toEqual([]);
});

test('a session is ours after the end of the shim while a process in it has the token', () => {
  const table = [entry(101, { session: 100 }), entry(102, { session: 100 }), entry(200)];
  const tokenHolders = new Set(table.slice(1, 2));
  expect(pids(selectDescendants(table, { ...NOBODY, shim: SHIM, tokenHolders }))).toEqual([101, 102]);
});

test('the init process, ourselves and ended processes are never selected', () => {
  const table = [entry(1), entry(process.pid), entry(300, { isEnded: true })];
  expect(selectDescendants(table, { ...NOBODY, shim: undefined, tokenHolders: new Set(table) })).toEqual([]);
});

test('a process that was found before is found again, but not a later process with its pid', () => {
  const marks = { ...NOBODY, shim: undefined, found: new Set(['101 9']) };
  expect(pids(selectDescendants([entry(101), entry(102, { parent: 101 })], marks))).toEqual([101, 102]);
  expect(selectDescendants([entry(101, { startTime: '10' })], marks)).toEqual([]);
});
