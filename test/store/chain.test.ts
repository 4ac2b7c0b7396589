import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ChainHead, checkHead, eventHash, findChainBreak, headText, parseHead } from '../../src/store/chain.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { realWorld } from '../../src/world.ts';

let folder: string;
let file: string;
let kept: ChainHead;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mh-chain-'));
  file = join(folder, 'manyhands.db');
  await using store = await openSqliteStore({ file, world: realWorld });
  const events = ['one', 'two', 'three', 'four'].map((type) => ({ type, data: { text: type } }));
  const origin = { actor: { kind: 'person', name: 'ada' }, via: 'cli' } as const;
  await store.append([{ stream: 'run/a', expected: 0, events, origin }], 1_000);
  const head = store.head('run/a');
  if (head === undefined) throw new Error('no head');
  kept = head;
  await store.append([{ stream: 'run/a', expected: 4, events: [{ type: 'five', data: null }] }], 2_000);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Changes the database behind the program's back, and checks its chain again. */
async function afterEdit(sql: string) {
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
  await using store = await openSqliteStore({ file, world: realWorld });
  const links = store.chain('run/a');
  return { found: findChainBreak(links, store.head('run/a')), against: checkHead(links, kept), links };
}

describe('the chain of an untouched stream', () => {
  it('has no break, and still has a head that was kept while it was shorter', async () => {
    const { found, against } = await afterEdit('SELECT 1');
    expect([found, against]).toEqual([undefined, { holds: true, upTo: 4 }]);
  });
});

describe.each([
  ['the content of an event', `UPDATE events SET data = '{"text":"2"}' WHERE version = 2`, 2],
  ['the time of an event', 'UPDATE events SET at = at + 1 WHERE version = 3', 3],
  ['the type of an event', `UPDATE events SET type = 'other' WHERE version = 1`, 1],
  ['who caused an event', `UPDATE events SET origin = replace(origin, 'ada', 'eve') WHERE version = 2`, 2],
  ['that somebody caused an event', 'UPDATE events SET origin = NULL WHERE version = 4', 4],
  ['the hash of an event', `UPDATE events SET hash = '${'a'.repeat(64)}' WHERE version = 4`, 4],
  ['an event that is gone', 'DELETE FROM events WHERE version = 2', 2],
  ['the first event that is gone', 'DELETE FROM events WHERE version = 1', 1],
  ['the last events that are gone', 'DELETE FROM events WHERE version >= 4', 4],
  [
    'two events that changed places',
    'UPDATE events SET version = -2 WHERE version = 2; UPDATE events SET version = 2 WHERE version = 3; UPDATE events SET version = 3 WHERE version = -2',
    2,
  ],
  [
    'an event that is gone, with the others moved up',
    'DELETE FROM events WHERE version = 2; UPDATE events SET version = version - 1 WHERE version > 2; UPDATE streams SET version = 4',
    2,
  ],
])('finds %s', (_, sql, version) => {
  it('at its version, and against a kept head', async () => {
    const { found, against } = await afterEdit(sql);
    expect(found?.version).toBe(version);
    expect(against.holds).toBe(false);
  });
});

describe('a chain that was computed again over altered events', () => {
  it('is consistent in itself, and found against a kept head', async () => {
    const { links: before } = await afterEdit('SELECT 1');
    const event = { stream: 'run/a', version: 4, at: 1_000, type: 'four', json: '{"text":"4"}', origin: null };
    const forged = eventHash(before[2]?.stored ?? '', event);
    const last = { stream: 'run/a', version: 5, at: 2_000, type: 'five', json: 'null', origin: null };
    const head = eventHash(forged, last);
    const { found, against } = await afterEdit(`
      UPDATE events SET data = '{"text":"4"}', origin = NULL, hash = '${forged}' WHERE version = 4;
      UPDATE events SET hash = '${head}' WHERE version = 5;
      UPDATE streams SET head = '${head}'`);
    expect(found).toBeUndefined();
    expect(against).toMatchObject({ holds: false });
  });

  it('cannot hide that its last events were dropped', async () => {
    const { found, against } = await afterEdit(`
      DELETE FROM events WHERE version > 3;
      UPDATE streams SET version = 3, head = (SELECT hash FROM events WHERE version = 3)`);
    expect(found).toBeUndefined();
    expect(against).toMatchObject({ holds: false, message: 'the stream ends at event 3; the head is event 4' });
  });
});

describe('the written form of a head', () => {
  it('is read back, also as a bare hash', () => {
    expect(parseHead(headText(kept))).toEqual(kept);
    expect(parseHead(kept.hash)).toEqual({ hash: kept.hash });
    expect(parseHead('project/x@3:'.concat(kept.hash))).toMatchObject({ stream: 'project/x', version: 3 });
    expect([parseHead('abc'), parseHead(`${kept.hash} x`)]).toEqual([undefined, undefined]);
  });
});
