import { join } from 'node:path';
import { AppError } from '../../../src/errors.ts';
import { moveFromPostgres, moveToPostgres } from '../../../src/store/postgres/move.ts';
import { realWorld } from '../../../src/world.ts';

/** Moves `manyhands.db` of a folder to PostgreSQL (`to`), or PostgreSQL to it (`from`). */
const [direction, url = '', folder = ''] = process.argv.slice(2);
const files = { file: join(folder, 'manyhands.db'), readModel: join(folder, 'own.db') };
const options = { url, ...files, candidate: { server: 'one', holder: 'one' }, world: realWorld };
try {
  await (direction === 'to' ? moveToPostgres(options) : moveFromPostgres(options));
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  process.exit(error.exitCode);
}
