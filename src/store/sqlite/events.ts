import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../errors.ts';
import { Origin } from '../../schema/actor.ts';
import { type ChainedEvent, type ChainHead, type ChainLink, chainLinks, eventHash, NO_EVENT } from '../chain.ts';
import type { StoredEvent, StreamSummary, Write } from '../store.ts';
import { fromJson, integerOf, jsonOf, type Row, textOf, toJson } from './columns.ts';
import { prepare } from './statement.ts';

/** A write whose events are already JSON: later changes by the caller are not stored. */
type EncodedWrite = {
  stream: string;
  expected: number;
  events: { type: string; json: string }[];
  origin: Origin | undefined;
};

/** Encodes at the time of the call, so that a value that cannot be encoded fails its own caller. */
export function encodeWrites(writes: readonly Write[]): EncodedWrite[] {
  return writes.map(({ stream, expected, events, origin }) => ({
    stream,
    expected,
    origin,
    events: events.map(({ type, data }) => ({ type, json: toJson(data) })),
  }));
}

/** The statements on events and streams. */
export function prepareEvents(db: DatabaseSync) {
  const selectHead = prepare(db, 'SELECT version, head FROM streams WHERE stream = ?');
  const advanceStream = prepare(
    db,
    `
    INSERT INTO streams (stream, version, first_at, last_at, head) VALUES (?1, ?2, ?3, ?3, ?4)
    ON CONFLICT (stream) DO UPDATE SET version = excluded.version, last_at = excluded.last_at, head = excluded.head`,
  );
  const insertEvent = prepare(
    db,
    'INSERT INTO events (stream, version, at, type, data, origin, hash) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const selectStream = prepare(db, 'SELECT * FROM events WHERE stream = ? AND version > ? ORDER BY version LIMIT ?');
  const selectAll = prepare(db, 'SELECT * FROM events WHERE position > ? ORDER BY position LIMIT ?');
  const selectStreams = prepare(
    db,
    `
    SELECT * FROM streams WHERE stream >= ?1 AND stream < ?1 || char(1114111) ORDER BY stream`,
  );
  const selectTypes = prepare(
    db,
    `
    SELECT * FROM events WHERE stream = ? AND type IN (SELECT value FROM json_each(?)) ORDER BY version`,
  );
  const selectPosition = prepare(db, 'SELECT coalesce(max(position), 0) AS position FROM events');
  const selectMark = prepare(db, "SELECT position FROM marks WHERE name = 'reading'");
  const selectMentioning = prepare(
    db,
    `
    SELECT stream, max(position) AS newest FROM events INDEXED BY tasks_added
    WHERE type = 'tasks.added'
      AND NOT EXISTS (SELECT 1 FROM json_each(?1) WHERE instr(lower(events.data), value) = 0)
    GROUP BY stream ORDER BY newest DESC LIMIT ?2`,
  );

  function headOf(stream: string): ChainHead {
    const row = selectHead.get(stream);
    if (row === undefined) return { stream, version: 0, hash: NO_EVENT };
    return { stream, version: integerOf(row, 'version'), hash: textOf(row, 'head') };
  }

  function appendTo(write: EncodedWrite, at: number): StoredEvent[] {
    const { stream, expected, events, origin } = write;
    const originJson = origin === undefined ? null : toJson(origin);
    const before = headOf(stream);
    if (expected !== -1 && expected !== before.version) throw conflict(stream, expected, before.version);
    if (events.length === 0) return [];
    let { version, hash } = before;
    const stored = events.map(({ type, json }) => {
      version += 1;
      hash = eventHash(hash, { stream, version, at, type, json, origin: originJson });
      const position = Number(insertEvent.run(stream, version, at, type, json, originJson, hash).lastInsertRowid);
      return { stream, version, position, at, type, data: fromJson(json), ...(origin === undefined ? {} : { origin }) };
    });
    advanceStream.run(stream, version, at, hash);
    return stored;
  }

  return {
    append: (writes: readonly EncodedWrite[], at: number) => writes.flatMap((write) => appendTo(write, at)),
    /** A negative limit means no limit. */
    read: (stream: string, after: number, limit: number) => selectStream.all(stream, after, limit).map(eventOf),
    readAll: (after: number, limit: number) => selectAll.all(after, limit).map(eventOf),
    readTypes: (stream: string, types: readonly string[]) => selectTypes.all(stream, toJson(types)).map(eventOf),
    position: () => integerOf(selectPosition.get() ?? {}, 'position'),
    readingSince: () => integerOf(selectMark.get() ?? {}, 'position'),
    head: (stream: string): ChainHead | undefined => {
      const head = headOf(stream);
      return head.version === 0 ? undefined : head;
    },
    chain: (stream: string): ChainLink[] => chainLinks(chainedEvents(selectStream.iterate(stream, 0, -1))),
    streams: (prefix: string) => selectStreams.all(prefix).map(summaryOf),
    mentioning: (words: readonly string[], limit: number) =>
      selectMentioning.all(toJson(words.map(asInJson)), limit).map((row) => textOf(row, 'stream')),
  };
}

/** A word as it appears inside stored JSON; SQLite lowercases ASCII letters only. */
function asInJson(word: string): string {
  return toJson(word.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())).slice(1, -1);
}

function conflict(stream: string, expected: number, actual: number): AppError {
  const message = `The stream ${stream} is at version ${actual}, not ${expected}`;
  return new AppError('CONFLICT', message, { stream, expected, actual });
}

function eventOf(row: Row): StoredEvent {
  return {
    stream: textOf(row, 'stream'),
    version: integerOf(row, 'version'),
    position: integerOf(row, 'position'),
    at: integerOf(row, 'at'),
    type: textOf(row, 'type'),
    data: jsonOf(row, 'data'),
    ...originOf(row),
  };
}

/** Rows of one stream as their chain sees them. */
export function* chainedEvents(rows: Iterable<Row>): Generator<ChainedEvent & { hash: string }> {
  for (const row of rows) {
    yield {
      stream: textOf(row, 'stream'),
      version: integerOf(row, 'version'),
      at: integerOf(row, 'at'),
      type: textOf(row, 'type'),
      json: textOf(row, 'data'),
      origin: row.origin === null ? null : textOf(row, 'origin'),
      hash: row.hash === null || row.hash === undefined ? '' : textOf(row, 'hash'),
    };
  }
}

/** The origin of a stored event, where it has one. */
export function originOf(row: Row): { origin?: Origin } {
  return row.origin === null || row.origin === undefined ? {} : { origin: Origin.parse(jsonOf(row, 'origin')) };
}

function summaryOf(row: Row): StreamSummary {
  return {
    stream: textOf(row, 'stream'),
    version: integerOf(row, 'version'),
    firstAt: integerOf(row, 'first_at'),
    lastAt: integerOf(row, 'last_at'),
  };
}
