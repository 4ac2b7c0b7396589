import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { evolve } from '../../src/core/run/evolve.ts';
import { EVOLVE_CODEC, type RunState } from '../../src/core/run/state.ts';
import { documentWithOutputs } from '../../src/core/view/document.ts';
import { outputReader, parseEvent } from '../../src/engine/loop/ledger.ts';
import { RunDocument } from '../../src/schema/document.ts';
import type { RunEvent } from '../../src/schema/event.ts';
import { runStream } from '../../src/schema/ids.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { realWorld } from '../../src/world.ts';
import { expectContainment } from '../support/contained.ts';
import { replay } from '../support/replay.ts';
import type { Scratch } from '../support/scratch.ts';
import { ATTEMPT_USD, readLedger } from './scenario.ts';
import { mirrorOf, runGit } from './seen-commits.ts';

export type Expected = {
  /** The fingerprint of the user's repository before the work. */
  before: string;
  /** Commits that were there at the crash. */
  seen: ReadonlySet<string>;
  /** How many attempts the work takes. */
  paid: number;
  /** Whether the user asked that their own branch moves. */
  movesBase: boolean;
};

/** The roles of the crash suite that change nothing. */
const READING = new Set([
  ...['plan', 'review', 'assess', 'milestones', 'debate', 'verify'],
  ...['requirements', 'testing', 'synthesize', 'discover'],
]);

type Stored = { document: RunDocument; events: RunEvent[] };

/** What must hold once the work has settled, however often it was killed on the way. */
export async function checkInvariants(scratch: Scratch, expected: Expected): Promise<void> {
  expect(await scratch.leftovers(), 'processes are left').toEqual([]);
  const stored = await readRun(scratch);
  expectDone(scratch, stored.document);
  expectContainment(scratch.isContained, stored.document);
  expectPaidOnce(scratch, stored.document, expected.paid);
  expectNothingLost(scratch, [...expected.seen, ...stored.events.flatMap(commitsOf)]);
  expectGreen(scratch, stored.events);
  if (expected.movesBase) expectCleanCheckout(scratch, stored.document);
  else expect(await scratch.fingerprint(), "the user's repository changed").toBe(expected.before);
  await expectFixedPoint(scratch);
}

/** The run as the program shows it, which must be what its stored events lead to. */
async function readRun(scratch: Scratch): Promise<Stored> {
  const shown = await scratch.mh(['show', '--json']);
  expect(shown.code, shown.stderr).toBe(0);
  const document = RunDocument.parse(shown.json);
  await using store = await openSqliteStore({ file: join(scratch.home, 'manyhands.db'), world: realWorld });
  const stream = runStream(document.run);
  const stored = store.read(stream);
  expect(
    stored.map(({ version }) => version),
    'versions have gaps',
  ).toEqual(stored.map((_, index) => index + 1));
  const events = stored.map((row) => ({ event: parseEvent(row), at: row.at }));
  let state: RunState | undefined;
  for (const recorded of events) state = evolve(state, structuredClone(recorded));
  if (state === undefined) throw new Error('The run has no events');
  const { filing: _, carried: __, progress, ...shownState } = document;
  // A recipe that works in rounds adds its progress, and may make a result of several tasks.
  const { result: ___, ...withoutResult } = shownState;
  const derived = progress === undefined ? shownState : withoutResult;
  expect(derived).toEqual(JSON.parse(JSON.stringify(documentWithOutputs(state, outputReader(store, document.run)))));
  replay(
    events.map((recorded) => JSON.stringify(recorded)),
    state,
  );
  const snapshot = store.loadSnapshot(stream, EVOLVE_CODEC);
  if (snapshot !== undefined) expect(snapshot.state).toEqual(JSON.parse(JSON.stringify(state)));
  return { document, events: events.map(({ event }) => event) };
}

/** Done is what every task is, and its work is in the branch that the user sees. */
function expectDone(scratch: Scratch, { status, run, commit, tasks }: RunDocument): void {
  expect({ status, open: tasks.filter((task) => task.status !== 'done') }).toEqual({ status: 'done', open: [] });
  expect(scratch.git('rev-parse', `refs/heads/mh/${run}`)).toBe(commit);
  for (const task of tasks) {
    if (task.commit !== null && !READING.has(task.role))
      scratch.git('merge-base', '--is-ancestor', task.commit, `mh/${run}`);
  }
}

/** An attempt works at most once, no finished work is asked for again, and what is charged is what was spent. */
function expectPaidOnce(scratch: Scratch, { cost, tasks }: RunDocument, paid: number): void {
  const ledger = readLedger(scratch);
  expect(ledger.length, `paid for ${ledger.join(' ')}`).toBe(paid);
  expect(new Set(ledger).size).toBe(paid);
  expect(cost).toBeCloseTo(paid * ATTEMPT_USD);
  expect(tasks.reduce((sum, task) => sum + task.cost, 0)).toBeCloseTo(cost);
}

/** Every commit that was ever seen survives a collection of garbage, in a copy of the mirror. */
function expectNothingLost(scratch: Scratch, seen: readonly string[]): void {
  const copy = join(scratch.root, 'mirror-copy.git');
  cpSync(mirrorOf(scratch), copy, { recursive: true });
  runGit(copy, ['-c', 'gc.reflogExpire=now', '-c', 'gc.reflogExpireUnreachable=now', 'gc', '--quiet', '--prune=now']);
  const requests = [...new Set(seen)].join('\n');
  const lost = runGit(copy, ['cat-file', '--batch-check'], requests)
    .split('\n')
    .filter((line) => line.endsWith(' missing'));
  const described = lost.map((line) => describe(mirrorOf(scratch), line.slice(0, line.indexOf(' '))));
  expect(described, 'commits are lost').toEqual([]);
}

/** The commits that an event puts on record: a restart may have to begin from any of them. */
function commitsOf(event: RunEvent): string[] {
  switch (event.type) {
    case 'task.retrying':
      return event.data.from === undefined ? [] : [event.data.from.commit, event.data.from.base];
    case 'attempt.started':
      return [event.data.base];
    case 'attempt.ended':
      return event.data.saved === undefined ? [] : [event.data.saved.commit];
    case 'task.landing':
    case 'tasks.landed':
      return [event.data.commit];
    default:
      return [];
  }
}

function describe(mirror: string, oid: string): string {
  try {
    return runGit(mirror, ['log', '--max-count=1', '--format=%H, parents %P: %B', oid]);
  } catch {
    return `${oid}, which the mirror never had`;
  }
}

/** Every value that the run branch ever had passes the check, in a folder of its own. */
function expectGreen(scratch: Scratch, events: readonly RunEvent[]): void {
  const mirror = mirrorOf(scratch);
  const strays = runGit(mirror, [
    'for-each-ref',
    '--format=%(objectname)',
    'refs/manyhands/strays',
    'refs/manyhands/runs',
  ]);
  const landed = events.flatMap((event) =>
    event.type === 'tasks.landed' || event.type === 'run.landed' ? [event.data.commit] : [],
  );
  for (const commit of new Set([...landed, ...strays.trim().split('\n')])) {
    const folder = join(scratch.root, `value-${commit}`);
    mkdirSync(folder);
    execFileSync('sh', [
      '-c',
      'git --git-dir "$1" archive "$2" | tar -x -C "$3" && cd "$3" && sh check.sh',
      'sh',
      mirror,
      commit,
      folder,
    ]);
  }
}

/** The base stands where it was landed, and the user's files are exactly that commit. */
function expectCleanCheckout(scratch: Scratch, { landed }: RunDocument): void {
  expect(scratch.git('rev-parse', 'refs/heads/main')).toBe(landed?.commit);
  expect(scratch.git('symbolic-ref', 'HEAD')).toBe('refs/heads/main');
  expect(scratch.git('status', '--porcelain')).toBe('');
}

/** Resuming what has settled changes nothing. */
async function expectFixedPoint(scratch: Scratch): Promise<void> {
  const existing = async () => {
    await using store = await openSqliteStore({ file: join(scratch.home, 'manyhands.db'), world: realWorld });
    const streams = store.streams('').map(({ stream, version }) => `${stream} ${version}`);
    return {
      streams,
      refs: runGit(mirrorOf(scratch), ['for-each-ref']),
      users: scratch.git('for-each-ref'),
      ledger: readLedger(scratch),
    };
  };
  const before = await existing();
  const resumed = await scratch.mh(['resume', '--json']);
  expect(resumed.json, resumed.stderr).toEqual([]);
  expect(await existing()).toEqual(before);
  expect(await scratch.leftovers()).toEqual([]);
}
