import { existsSync, renameSync } from 'node:fs';
import { z } from 'zod';
import type { App } from '../../app.ts';
import { AppError } from '../../errors.ts';
import { resolveHome } from '../../home.ts';
import { acquireLock } from '../../store/lock.ts';
import { candidateOf } from '../../store/open-store.ts';
import { operation } from '../operation.ts';

/** The word for the database file in the data directory. */
const EMBEDDED = 'embedded';

const Moved = z.object({
  to: z.string().describe('`embedded`, or server and name of the PostgreSQL database.'),
  runs: z.number().int(),
  events: z.number().int(),
  texts: z.number().int(),
  transcriptRows: z.number().int(),
  kept: z.string().nullable().describe('The embedded database file after a move to PostgreSQL.'),
});

/** Moves the embedded database to PostgreSQL, or back. */
export const moveStore = operation({
  name: 'move-store',
  where: 'anywhere',
  toleratesDamage: true,
  summary: 'Move the database of the data directory to PostgreSQL, or back',
  http: { unreachable: 'It moves the database on which a server works; no engine may run.' },
  allow: ['operator'],
  tool: { none: 'It needs the credentials of a database.' },
  input: z.object({ to: z.string().min(1) }),
  output: Moved,
  run: async (app, { to }) => {
    const { home, world, control } = app;
    // The file that is moved must not be open here, or it would be written when it is closed.
    await app.store[Symbol.asyncDispose]();
    const lock = control === undefined ? await acquireLock(home.lock, world) : undefined;
    if (lock === undefined)
      throw new AppError('ENGINE_BUSY', 'An engine works on this data directory; stop it first: manyhands stop');
    await using _lock = lock;
    return to === EMBEDDED ? await moveBack(app) : await moveOut(app, to);
  },
});

async function moveOut({ home, env, world }: App, url: string): Promise<z.output<typeof Moved>> {
  const { file, readModel } = filesOf(env, url);
  if (!existsSync(file)) throw new AppError('REFUSED', `There is no embedded database to move: ${file} does not exist`);
  const { moveToPostgres } = await import('../../store/postgres/move.ts');
  const candidate = await candidateOf(home.root, world);
  const moved = await moveToPostgres({ url, file, readModel, candidate, world });
  const kept = `${file}.moved-${new Date(world.now()).toISOString().replaceAll(/[-:.]/g, '')}`;
  renameSync(file, kept);
  return { to: 'postgresql', ...moved, kept };
}

async function moveBack({ home, env, world }: App): Promise<z.output<typeof Moved>> {
  const url = env.MANYHANDS_DATABASE_URL;
  if (!url) throw new AppError('USAGE', 'Set MANYHANDS_DATABASE_URL to the database that is to be moved back');
  const { file, readModel } = filesOf(env, url);
  if (existsSync(file))
    throw new AppError(
      'REFUSED',
      `There is an embedded database already: ${file}; rename it, then run the command again`,
    );
  const { moveFromPostgres } = await import('../../store/postgres/move.ts');
  const candidate = await candidateOf(home.root, world);
  return { to: EMBEDDED, ...(await moveFromPostgres({ url, file, readModel, candidate, world })), kept: null };
}

function filesOf(env: NodeJS.ProcessEnv, url: string): { file: string; readModel: string } {
  return {
    file: resolveHome({ ...env, MANYHANDS_DATABASE_URL: undefined }).database,
    readModel: resolveHome({ ...env, MANYHANDS_DATABASE_URL: url }).database,
  };
}
