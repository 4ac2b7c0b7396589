import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import { realWorld } from '../../../src/world.ts';

/** Opens the store and closes it again. */
const [file = ''] = process.argv.slice(2);
const store = await openSqliteStore({ file, world: realWorld });
await store[Symbol.asyncDispose]();
