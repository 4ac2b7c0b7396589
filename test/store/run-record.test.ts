import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { realWorld } from '../../src/world.ts';

const RUN = 'k3v9x2ab';

it('exports a run, deletes it only at the exported version, and imports it again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mh-record-'));
  try {
    await using store = await openSqliteStore({ file: join(folder, 'manyhands.db'), world: realWorld });
    const events = [
      { type: 'run.started', data: { a: 1 } },
      { type: 'run.ended', data: null },
    ];
    const row = { attempt: `${RUN}-1-1`, file: 'stdout', offset: 0, at: 5, kind: 'text', text: 'needle' } as const;
    await store.append([{ stream: `run/${RUN}`, expected: 0, events }], 7);
    await store.append([{ stream: 'run/other000', expected: 0, events }], 7);
    await store.ingest({
      attempt: row.attempt,
      rows: [row],
      cursors: [{ file: 'stdout', offset: 6 }],
      usage: { u: 1 },
    });
    const record = { ...store.exportRun(RUN), texts: {} };
    await expect(store.deleteRun(RUN, 1)).rejects.toMatchObject({ code: 'CONFLICT' });
    await store.deleteRun(RUN, 2);
    expect([store.read(`run/${RUN}`), store.search({ text: 'needle', limit: 5 })]).toEqual([[], []]);
    expect([store.cursor(row.attempt, 'stdout'), store.read('run/other000').length]).toEqual([0, 2]);
    await store.importRun(record);
    expect({ ...store.exportRun(RUN), texts: {} }).toEqual(record);
    expect(store.search({ text: 'needle', limit: 5 })).toHaveLength(1);
    expect([store.cursor(row.attempt, 'stdout'), store.usage(row.attempt)]).toEqual([6, { u: 1 }]);
    await expect(store.importRun(record)).rejects.toMatchObject({ code: 'REFUSED' });
    const head = store.head(`run/${RUN}`);
    await store.deleteRun(RUN, 2);
    const changed = record.events.map((each) => (each.version === 1 ? { ...each, data: { a: 2 } } : each));
    await expect(store.importRun({ ...record, events: changed })).rejects.toMatchObject({ code: 'DATA_DAMAGED' });
    const older = record.events.map(({ hash: _, ...each }) => each);
    await store.importRun({ ...record, events: older });
    expect(store.head(`run/${RUN}`)).toEqual(head);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('deletes rows of the same transaction, and keeps the full-text index intact', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mh-record-'));
  try {
    const file = join(folder, 'manyhands.db');
    const textRow = (attempt: string) =>
      ({ attempt, file: 'stdout', offset: 0, at: 5, kind: 'text', text: 'needle' }) as const;
    {
      await using store = await openSqliteStore({ file, world: realWorld });
      await store.append([{ stream: `run/${RUN}`, expected: 0, events: [{ type: 'run.ended', data: null }] }], 7);
      await Promise.all([
        store.ingest({ attempt: 'k3v9x2ac-1-1', rows: [textRow('k3v9x2ac-1-1')], cursors: [] }),
        store.ingest({ attempt: `${RUN}-1-1`, rows: [textRow(`${RUN}-1-1`)], cursors: [] }),
        store.deleteRun(RUN, 1),
      ]);
      expect(store.search({ text: 'needle', limit: 5 })).toHaveLength(1);
    }
    const db = new DatabaseSync(file);
    db.exec("INSERT INTO transcript_words (transcript_words, rank) VALUES ('integrity-check', 1)");
    expect(db.prepare('SELECT id FROM transcript_words_docsize').all()).toEqual([{ id: 1 }]);
    db.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
