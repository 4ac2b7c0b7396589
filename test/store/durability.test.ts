import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { realWorld } from '../../src/world.ts';

const isRoot = process.getuid?.() === 0;

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'manyhands-durability-'));
  file = join(folder, 'manyhands.db');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe('A store whose process is killed', () => {
  it('has every event and row it acknowledged, when killed in the middle of a flood', async () => {
    const child = startProgram('flood.ts', [file]);
    const output = collect(child, (lines) => lines >= 3_000 && child.kill('SIGKILL'));
    await once(child, 'close');
    expect(child.signalCode).toBe('SIGKILL');
    await expectAcknowledged(await output);
  });

  it.each(['store.committing:25', 'store.committed:25'])(
    'has every event and row it acknowledged, when it dies at %s',
    async (point) => {
      const child = startProgram('flood.ts', [file], { MANYHANDS_CRASH: point });
      const output = collect(child, () => undefined);
      await once(child, 'close');
      expect(child.signalCode).toBe('SIGKILL');
      await expectAcknowledged(await output);
    },
  );

  it.each([
    'store.migrating:1',
    'store.migration-written:1',
    'store.migrated:1',
    'store.migrating:2',
    'store.migration-written:2',
    'store.migrated:2',
    'store.migrating:3',
    'store.migration-written:3',
    'store.migrated:3',
  ])('is brought up to date at the next opening, when it dies at %s', async (point) => {
    const child = startProgram('open.ts', [file], { MANYHANDS_CRASH: point });
    await once(child, 'close');
    expect(child.signalCode).toBe('SIGKILL');
    await using store = await openSqliteStore({ file, world: realWorld });
    await store.append([{ stream: 's', expected: 0, events: [{ type: 'fine', data: null }] }], 0);
    await store.ingest({ attempt: 'a-1-1', rows: [], cursors: [{ file: 'stdout', offset: 3 }] });
    expect(store.read('s')).toHaveLength(1);
    expect(store.cursor('a-1-1', 'stdout')).toBe(3);
  });
});

describe('A full disk', () => {
  it.runIf(isRoot)(
    'rejects every waiter with NO_SPACE, shows nothing of it, and is forgotten once there is room',
    async () => {
      const disk = join(folder, 'disk');
      await mkdir(disk);
      const script = `mount -t tmpfs -o size=4m,mode=0700 tmpfs "$0" && head -c 1500000 /dev/zero > "$0/ballast" && exec "$@"`;
      const command = [process.execPath, program('fill.ts'), join(disk, 'manyhands.db'), join(disk, 'ballast')];
      const child = spawn('unshare', ['-m', 'sh', '-c', script, disk, ...command], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const seen: Filled = JSON.parse(await text(child.stdout));
      expectRefused(seen);
      expect(seen.later).toBe('stored');
    },
  );

  it('rejects with FILE_TOO_LARGE at a limit on the file size', async () => {
    const script = `trap '' XFSZ; ulimit -f 3000; exec "$@"`;
    const command = [process.execPath, program('fill.ts'), file, join(folder, 'none')];
    const child = spawn('sh', ['-c', script, 'sh', ...command], { stdio: ['ignore', 'pipe', 'inherit'] });
    expectRefused(JSON.parse(await text(child.stdout)), 'FILE_TOO_LARGE');
    await using store = await openSqliteStore({ file, world: realWorld });
    expect(store.read('s').length).toBeGreaterThan(0);
  });
});

describe('The write-ahead log', () => {
  it('stays bounded while others read all the time', async () => {
    await using store = await openSqliteStore({ file, world: realWorld });
    const reader = new DatabaseSync(file, { readOnly: true });
    const count = reader.prepare('SELECT count(*) FROM events');
    let largest = 0;
    for (let n = 0; n < 150; n++) {
      await store.append([{ stream: 's', expected: n, events: [{ type: 'big', data: 'x'.repeat(400_000) }] }], n);
      store.read('s', n);
      count.get();
      largest = Math.max(largest, walBytes());
    }
    reader.close();
    expect(largest).toBeLessThan(24 * 1024 * 1024);
  });
});

type Filled = { acknowledged: number; codes: string[]; shown: number; notified: number; later: string };

function expectRefused(seen: Filled, code = 'NO_SPACE'): void {
  expect(seen.acknowledged).toBeGreaterThan(0);
  expect(seen.codes).toEqual([code, code, code]);
  expect([seen.shown, seen.notified]).toEqual([seen.acknowledged, seen.acknowledged]);
}

async function expectAcknowledged(lines: string[]): Promise<void> {
  await using store = await openSqliteStore({ file, world: realWorld });
  const acknowledged = lines.map((line) => line.split(' '));
  const versions = new Map(store.streams('s').map(({ stream, version }) => [stream, version]));
  const missing = acknowledged.filter(([kind, name = '', at = '']) => {
    if (kind === 'row') return store.cursor(name, 'stdout') <= Number(at);
    return (versions.get(name) ?? 0) < Number(at);
  });
  expect(acknowledged.length).toBeGreaterThan(100);
  expect(missing).toEqual([]);
  for (const [stream, version] of versions) {
    const stored = store.read(stream);
    expect(stored.map((event) => event.version)).toEqual(Array.from({ length: version }, (_, n) => n + 1));
    expect(stored.at(-1)?.data).toMatchObject({ stream, version });
  }
  const rows = store.transcript({ attempt: 'a-1-1', limit: 1_000_000 });
  expect(rows).toHaveLength(store.cursor('a-1-1', 'stdout'));
  expect(store.usage('a-1-1')).toEqual({ lines: rows.length });
}

function startProgram(name: string, args: string[], env: Record<string, string> = {}) {
  return spawn(process.execPath, [program(name), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function collect(child: ChildProcess, progress: (lines: number) => unknown): Promise<string[]> {
  let output = '';
  let lines = 0;
  for await (const chunk of child.stdout ?? []) {
    output += chunk;
    lines += String(chunk).split('\n').length - 1;
    progress(lines);
  }
  return output.split('\n').slice(0, -1);
}

function program(name: string): string {
  return join(import.meta.dirname, 'programs', name);
}

function walBytes(): number {
  return statSync(`${file}-wal`).size;
}
