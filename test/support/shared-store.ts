import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import type { Store } from '../../src/store/store.ts';
import { realWorld } from '../../src/world.ts';

const TABLES = ['events', 'streams', 'blobs', 'transcript', 'cursors', 'pages', 'marks'];

/** Opens the store of a server with this name, which writes at once unless told otherwise. */
export function openShared(url: string, file: string, server = 'one', lead = true) {
  return openPostgresStore({ url, file, world: realWorld, candidate: { server, holder: server }, lead });
}

/** All rows of a local file that come from PostgreSQL, for comparison; ids of attempts are local. */
export function rowsOf(file: string): Record<string, unknown[]> {
  using db = new DatabaseSync(file, { readOnly: true });
  const names = new Map(
    db
      .prepare('SELECT id, attempt FROM attempts')
      .all()
      .map(({ id, attempt }) => [id, attempt]),
  );
  const named = (row: Record<string, unknown>) =>
    typeof row.attempt === 'number' ? { ...row, attempt: names.get(row.attempt) } : { ...row };
  const tables = TABLES.map((table) => [table, sorted(db.prepare(`SELECT * FROM ${table}`).all().map(named))] as const);
  const attempts = db.prepare('SELECT attempt, usage, row_count FROM attempts').all();
  const words = db
    .prepare("SELECT rowid FROM transcript_words WHERE transcript_words MATCH 'line' ORDER BY rowid")
    .all();
  return { ...Object.fromEntries(tables), attempts: sorted(attempts), words };
}

/** A program that writes without end, and the lines that it printed: what the store acknowledged. */
export function startFlood(url: string, file: string, env: Record<string, string> = {}, server = 'one') {
  const program = join(import.meta.dirname, '..', 'store', 'programs', 'flood-shared.ts');
  const child = spawn(process.execPath, [program, url, file, server], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { child, lines: new Lines(child) };
}

class Lines {
  readonly all: string[] = [];
  readonly ended: Promise<void>;
  #rest = '';
  #waiting: (() => void)[] = [];

  constructor(child: ChildProcess) {
    child.stdout?.on('data', (chunk: Buffer) => {
      const parts = `${this.#rest}${chunk}`.split('\n');
      this.#rest = parts.pop() ?? '';
      this.all.push(...parts);
      for (const wake of this.#waiting.splice(0)) wake();
    });
    this.ended = once(child, 'close').then(() => {
      for (const wake of this.#waiting.splice(0)) wake();
    });
  }

  /** Resolves when this many more lines came than now, or one that matches. */
  async more(count: number | RegExp): Promise<void> {
    const from = this.all.length;
    const isReached = () =>
      typeof count === 'number' ? this.all.length >= from + count : this.all.some((line) => count.test(line));
    while (!isReached()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

/** Every acknowledged event and row is stored once, and versions have no gap. */
export function expectAcknowledged(store: Store, lines: readonly string[]): void {
  const acknowledged = lines.map((line) => line.split(' ')).filter(([kind]) => kind === 'event' || kind === 'row');
  const versions = new Map(store.streams('s').map(({ stream, version }) => [stream, version]));
  const missing = acknowledged.filter(([kind, name = '', at = '']) =>
    kind === 'row' ? store.cursor(name, 'stdout') <= Number(at) : (versions.get(name) ?? 0) < Number(at),
  );
  expect(missing).toEqual([]);
  for (const [stream, version] of versions) {
    const stored = store.read(stream);
    expect(stored.map((event) => event.version)).toEqual(Array.from({ length: version }, (_, n) => n + 1));
    expect(store.chain(stream).every(({ stored: hash, computed }) => hash === computed)).toBe(true);
  }
  const rows = store.transcript({ attempt: 'a-1-1', limit: 1_000_000 });
  expect(rows.map(({ offset }) => offset)).toEqual(Array.from({ length: rows.length }, (_, n) => n));
  expect(rows).toHaveLength(store.cursor('a-1-1', 'stdout'));
  if (rows.length > 0) expect(store.usage('a-1-1')).toEqual({ lines: rows.length });
}

/**
 * A way to PostgreSQL that can be cut at a statement, which a prepared one has by its name: `before` it reaches the server, or
 * `after` it, so that only the answer is lost. A connection that is stalled stays open, and nothing passes any more.
 */
export async function openCut(url: string) {
  const target = new URL(url);
  let cut: { statement: RegExp; where: 'before' | 'after' } | undefined;
  let stalls = 0;
  const server = createServer((client: Socket) => {
    const upstream = connect(Number(target.port), target.hostname);
    const openedAt = stalls;
    let isCut = false;
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    client.on('data', (data) => {
      if (cut?.statement.test(data.toString('latin1'))) {
        const { where } = cut;
        cut = undefined;
        isCut = true;
        if (where === 'before') return end();
      }
      if (openedAt === stalls) upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (isCut) end();
      else if (openedAt === stalls) client.write(data);
    });
    for (const one of [client, upstream]) one.on('error', end).on('close', end);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const through = new URL(url);
  through.port = String(typeof address === 'object' ? address?.port : 0);
  return {
    url: through.href,
    cutAt: (statement: RegExp, where: 'before' | 'after') => {
      cut = { statement, where };
    },
    /** Stalls the connections that are open now. */
    stall: () => {
      stalls += 1;
    },
    /** Whether the statement has not come yet. */
    isWaiting: () => cut !== undefined,
    close: () => server.close(),
  };
}

function sorted(rows: readonly unknown[]): unknown[] {
  return rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
