import picomatch from 'picomatch';
import type { Checkpoint } from '../../schema/report/checkpoint.ts';
import { oneLine, toolCallOf } from './activity.ts';

/** A row of a transcript. */
export type CheckpointRow = { at: number; kind: string; text: string; data?: unknown };

/** What the attempt works on; `allowed` are the globs of its scope, if it has one. */
export type CheckpointSubject = { title: string; prompt: string; allowed?: readonly string[] };

/** An attempt with fewer rows is no long one. */
const LONG_ATTEMPT_ROWS = 30;
const MOST_LINES = 12;
const MOST_FILES = 30;
/** A call that is repeated this often is not the usual second look. */
const MANY_TIMES = 5;
/** So many calls without a change of a file, in a task that changes some, are no preparation any more. */
const IDLE_CALLS = 60;
/** So many steps that name nothing of the task. */
const UNRELATED_STEPS = 25;
const FINDING =
  /\b(?:i (?:found|discovered|noticed|see that)|found (?:that|the|a|an)|root cause|the (?:bug|cause|problem|issue|reason|failure) (?:is|was|comes|seems)|it turns out|turns out)\b/i;
const TEST_COMMAND = /\b(?:test|tests|vitest|jest|mocha|pytest|phpunit|rspec|ctest|nextest)\b/i;
const COMMON_WORDS = new Set([
  'this',
  'that',
  'with',
  'from',
  'into',
  'when',
  'then',
  'have',
  'must',
  'should',
  'make',
  'file',
  'files',
  'code',
  'task',
  'test',
  'tests',
]);

/** The checkpoint of an attempt from its rows, in order; undefined while it is short. */
export function checkpointOf(
  rows: readonly CheckpointRow[],
  subject: CheckpointSubject,
  total = rows.length,
): Checkpoint | undefined {
  const last = rows.at(-1);
  if (last === undefined || total < LONG_ATTEMPT_ROWS) return undefined;
  const milestones = milestonesIn(rows);
  const listed = lastList(rows);
  const tests = testsIn(rows);
  return {
    at: new Date(last.at).toISOString(),
    steps: total,
    done: newest([...milestones.done, ...listed.done, ...tests.passed]),
    found: newest([...findingsIn(rows), ...tests.failed]),
    changed: changedIn(rows).slice(-MOST_FILES),
    remaining: newest([...milestones.remaining, ...listed.remaining]),
    drift: driftIn(rows, subject),
  };
}

/** The lines of a checkpoint, one group after another; a group without lines is left out. */
export function checkpointLines({ done, found, changed, remaining, drift }: Checkpoint): string[] {
  const group = (name: string, lines: readonly string[]) => lines.map((line) => `${name}: ${line}`);
  return [
    ...group('done', done),
    ...group('found', found),
    ...(changed.length === 0 ? [] : [`changed: ${changed.join(', ')}`]),
    ...group('remaining', remaining),
    ...group('drift', drift),
  ];
}

function newest(lines: readonly string[]): string[] {
  return [...new Set(lines)].slice(-MOST_LINES);
}

type Split = { done: string[]; remaining: string[] };

/** The milestones that it reported; one that was reached later no longer remains. */
function milestonesIn(rows: readonly CheckpointRow[]): Split {
  const states = new Map<string, boolean>();
  for (const { kind, text } of rows) {
    const [, state, name] = kind === 'milestone' ? (/^(done|remains): (.*)$/s.exec(text) ?? []) : [];
    if (name === undefined) continue;
    states.delete(name);
    states.set(name, state === 'done');
  }
  return split([...states]);
}

/** The last list of steps that it wrote with a tool of its program: `todos` of Claude Code, `plan` of Codex, `entries` of ACP. */
function lastList(rows: readonly CheckpointRow[]): Split {
  for (const row of rows.toReversed()) {
    const entries = row.kind === 'tool-call' || row.kind === 'plan' ? entriesIn(row.data) : undefined;
    if (entries !== undefined) return split(entries);
  }
  return { done: [], remaining: [] };
}

function entriesIn(data: unknown): [string, boolean][] | undefined {
  for (const holder of [Reflect.get(Object(data), 'input'), data]) {
    for (const key of ['todos', 'plan', 'entries', 'items']) {
      const list: unknown = Reflect.get(Object(holder), key);
      if (!Array.isArray(list) || list.length === 0) continue;
      const entries = list.flatMap((item: unknown): [string, boolean][] => {
        const texts = ['content', 'step', 'text', 'title'].map((name): unknown => Reflect.get(Object(item), name));
        const text = texts.find((each) => typeof each === 'string');
        const state: unknown = Reflect.get(Object(item), 'status') ?? Reflect.get(Object(item), 'completed');
        return typeof text === 'string' ? [[text, state === 'completed' || state === true]] : [];
      });
      if (entries.length > 0) return entries;
    }
  }
  return undefined;
}

function split(entries: readonly (readonly [string, boolean])[]): Split {
  const lines = (isDone: boolean) =>
    entries.flatMap(([name, state]) => (state === isDone ? [oneLine(name)] : [])).filter((line) => line !== null);
  return { done: lines(true), remaining: lines(false) };
}

/** The results of its last runs of tests, by command. */
function testsIn(rows: readonly CheckpointRow[]): { passed: string[]; failed: string[] } {
  const commands = new Map<string, string>();
  const outcomes = new Map<string, boolean>();
  for (const row of rows) {
    const id = String(Reflect.get(Object(row.data), 'id') ?? '');
    if (row.kind === 'tool-call') {
      const { detail } = toolCallOf(row);
      if (TEST_COMMAND.test(detail)) commands.set(id, detail);
    }
    const command = row.kind === 'tool-result' ? commands.get(id) : undefined;
    if (command === undefined) continue;
    outcomes.delete(command);
    outcomes.set(command, Reflect.get(Object(row.data), 'isError') !== true);
  }
  const named = (isPassed: boolean, word: string) =>
    [...outcomes].flatMap(([command, state]) => (state === isPassed ? [`${word}: ${command}`] : []));
  return { passed: named(true, 'passed'), failed: named(false, 'failed') };
}

function findingsIn(rows: readonly CheckpointRow[]): string[] {
  return rows
    .filter(({ kind }) => kind === 'text' || kind === 'result' || kind === 'status')
    .flatMap(({ text }) => text.slice(0, 20_000).split(/(?<=[.!?])\s+|\n+/))
    .filter((sentence) => FINDING.test(sentence))
    .flatMap((sentence) => oneLine(sentence) ?? []);
}

function changedIn(rows: readonly CheckpointRow[]): string[] {
  const paths = new Set<string>();
  for (const { kind, data } of rows) {
    const path: unknown = kind === 'file-change' ? Reflect.get(Object(data), 'path') : undefined;
    if (typeof path !== 'string') continue;
    paths.delete(path);
    paths.add(path);
  }
  return [...paths].flatMap((path) => oneLine(path) ?? []);
}

function driftIn(rows: readonly CheckpointRow[], subject: CheckpointSubject): string[] {
  return [...outsideOf(rows, subject), ...repeatedIn(rows), ...idleIn(rows), ...unrelatedIn(rows, subject)].slice(
    0,
    MOST_LINES,
  );
}

function outsideOf(rows: readonly CheckpointRow[], { allowed = [] }: CheckpointSubject): string[] {
  if (allowed.length === 0) return [];
  const isAllowed = picomatch([...allowed], { dot: true });
  return changedIn(rows)
    .filter((path) => !path.startsWith('/') && !isAllowed(path))
    .map((path) => `it changed ${path}, which is outside its scope`);
}

function repeatedIn(rows: readonly CheckpointRow[]): string[] {
  const calls = new Map<string, number>();
  for (const row of rows) {
    // After a change the same command can have another result.
    if (row.kind === 'file-change') calls.clear();
    if (row.kind !== 'tool-call') continue;
    const { tool, detail } = toolCallOf(row);
    const name = detail === '' ? tool : `${tool}: ${detail}`;
    calls.set(name, (calls.get(name) ?? 0) + 1);
  }
  return [...calls]
    .filter(([, times]) => times >= MANY_TIMES)
    .map(([name, times]) => `it called ${name} ${times} times`);
}

function idleIn(rows: readonly CheckpointRow[]): string[] {
  const change = rows.findLastIndex(({ kind }) => kind === 'file-change');
  if (change === -1) return [];
  const calls = rows.slice(change).filter(({ kind }) => kind === 'tool-call').length;
  return calls < IDLE_CALLS ? [] : [`no file was changed in its last ${calls} calls`];
}

function unrelatedIn(rows: readonly CheckpointRow[], { title, prompt }: CheckpointSubject): string[] {
  const words = wordsOf(`${title} ${prompt}`);
  const steps = rows.filter(({ kind }) => kind === 'tool-call' || kind === 'text' || kind === 'file-change');
  const recent = steps.slice(-UNRELATED_STEPS);
  if (words.size === 0 || recent.length < UNRELATED_STEPS) return [];
  const isRelated = recent.some((row) => {
    const { tool, detail } = toolCallOf(row);
    const path: unknown = Reflect.get(Object(row.data), 'path');
    const found = wordsOf(`${row.text} ${tool} ${detail} ${typeof path === 'string' ? path : ''}`);
    return [...words].some((word) => found.has(word));
  });
  return isRelated ? [] : [`its last ${UNRELATED_STEPS} steps name nothing of the task`];
}

/** The words of a text that say what it is about, also the parts of names in code. */
function wordsOf(text: string): Set<string> {
  const parts = text
    .slice(0, 20_000)
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/\p{L}{4,}/gu);
  return new Set((parts ?? []).filter((word) => !COMMON_WORDS.has(word)));
}
