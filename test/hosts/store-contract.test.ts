import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { realWorld } from '../../src/world.ts';
import { storeContract } from '../contracts/store.ts';
import { type Postgres, query, startPostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';

describe.skipIf(WITHOUT_POSTGRES !== undefined)('With PostgreSQL', () => {
  let postgres: Postgres;
  let url: string;

  beforeAll(async () => {
    postgres = await startPostgres();
    url = await postgres.createDatabase();
  });

  afterAll(() => postgres[Symbol.asyncDispose]());

  storeContract('the store', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'manyhands-store-'));
    const candidate = { server: 'one', holder: 'one' };
    const open = async () => {
      const file = join(folder, 'read-model.db');
      return (await openPostgresStore({ url, file, world: realWorld, candidate, lead: true })).store;
    };
    let store = await open();
    return {
      store,
      reopen: async () => {
        await store[Symbol.asyncDispose]();
        store = await open();
        return store;
      },
      close: async () => {
        await store[Symbol.asyncDispose]();
        await query(url, 'DROP SCHEMA manyhands CASCADE');
        await rm(folder, { recursive: true, force: true });
      },
    };
  });
});

it.runIf(WITHOUT_POSTGRES !== undefined)(`is not tested: ${WITHOUT_POSTGRES}`, () => {});
