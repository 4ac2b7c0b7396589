import { Connection } from './connection.ts';
import { migrateSchema } from './schema.ts';
import { type Leader, readLeader } from './term.ts';

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
