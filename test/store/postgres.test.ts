import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AT, batch, event } from '../contracts/store-samples.ts';
import { type Postgres, query, startPostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';
import { openCut, openShared, rowsOf } from '../support/shared-store.ts';

/** A sample; the contract suite and all faults are in test/hosts. */
describe.skipIf(WITHOUT_POSTGRES !== undefined)('A store on PostgreSQL', () => {
  const folder = mkdtempSync(join(tmpdir(), 'manyhands-postgres-'));
  const file = join(folder, 'read-model.db');
  let postgres: Postgres;
  let url: string;

  beforeAll(async () => {
    postgres = await startPostgres();
    url = await postgres.createDatabase();
  });

  afterAll(async () => {
    await postgres[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  it('has each event once when the answer to a commit is lost, one writer, and copies everything to a new file', async () => {
    const cut = await openCut(url);
    const { store } = await openShared(cut.url, file);
    await store.append([{ stream: 'run/r', expected: 0, events: [event('one')] }], AT);
    cut.cutAt(/commit-events/, 'after');
    await expect(store.append([{ stream: 'run/r', expected: 1, events: [event('two')] }], AT)).resolves.toHaveLength(1);
    expect(cut.isWaiting()).toBe(false);
    await store.ingest(batch('r-1-1', [0, 10], { cursor: 20, usage: { tokens: 1 } }));
    await store.putBlob('a text with \0');
    const copy = join(folder, 'copy.db');
    await expect(openShared(url, copy, 'two')).rejects.toMatchObject({ code: 'NOT_LEADER' });
    await store[Symbol.asyncDispose]();
    cut.close();
    await (await openShared(url, copy, 'two')).store[Symbol.asyncDispose]();
    expect(rowsOf(copy)).toEqual(rowsOf(file));
    const events = await query(url, 'SELECT type FROM manyhands.events ORDER BY position');
    expect(events).toEqual([{ type: 'one' }, { type: 'two' }]);
  });
});

describe('The embedded store', () => {
  it('loads nothing of PostgreSQL: other folders import it only when a database is set', () => {
    const source = join(import.meta.dirname, '..', '..', 'src');
    // The program that queries databases for agents is a process of its own.
    const ownProgram = join('integrations', 'query-postgres.ts');
    const loading = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.startsWith(join('store', 'postgres')) && file !== ownProgram)
      .filter((file) =>
        /^import (?!type )[^;]*from '(pg|[^']*\/postgres\/[^']*)';/m.test(readFileSync(join(source, file), 'utf8')),
      );
    expect(loading).toEqual([]);
  });
});

it.runIf(WITHOUT_POSTGRES !== undefined)(`is not tested: ${WITHOUT_POSTGRES}`, () => {});
