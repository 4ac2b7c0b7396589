import type { World } from '../../world.ts';
import { Connection, USUAL_TIMEOUTS } from './connection.ts';
import { NotifiedReading } from './notified-reading.ts';
import { migrateSchema } from './schema.ts';
import { type Leader, readLeader, STANDING_BY, TERMS_CHANNEL } from './term.ts';

/** After a lease has ended by the clock of the database, by which this process only estimates. */
const AFTER_LEASE_MS = 100;

/** What PostgreSQL says about an installation. */
export type InstallationStatus = { database: string; server: string; leader: Leader | undefined };

/** Connects, creates missing tables, and reads who leads; throws AppError where that is not possible. */
export async function inspectInstallation(url: string): Promise<InstallationStatus> {
  await using connection = new Connection(url);
  return await connection.use(async (client) => {
    await migrateSchema(client);
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
    return { database: connection.database, server: rows[0]?.server_version ?? '', leader: await readLeader(client) };
  });
}

/** Resolves when no server leads: the leader has ended its term, or its lease has ended; also when the signal aborts. */
export async function waitForVacancy(url: string, world: World, signal: AbortSignal): Promise<void> {
  await using connection = new Connection(url, USUAL_TIMEOUTS, STANDING_BY);
  const { promise, resolve } = Promise.withResolvers<void>();
  await using reading = new NotifiedReading({
    connection,
    world,
    channels: [TERMS_CHANNEL],
    read: async (client) => {
      const leader = await readLeader(client);
      if (leader?.isAlive === true) return leader.expiresInMs + AFTER_LEASE_MS;
      resolve();
      return undefined;
    },
  });
  signal.addEventListener('abort', () => resolve(), { once: true });
  if (signal.aborted) return;
  reading.request();
  await promise;
}
