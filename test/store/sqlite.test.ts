import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { realWorld } from '../../src/world.ts';
import { storeContract } from '../contracts/store.ts';

storeContract('The SQLite store', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'manyhands-store-'));
  const open = () => openSqliteStore({ file: join(folder, 'data', 'manyhands.db'), world: realWorld });
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
      await rm(folder, { recursive: true, force: true });
    },
  };
});
