import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import type { ClientBase } from 'pg';
import type { World } from '../../../world.ts';

/** The iterations of a verifier that PostgreSQL computes itself. */
const SCRAM_ITERATIONS = 4_096;

/** The connections of a host, with those of a process that is being replaced. */
const MOST_CONNECTIONS = 8;

/** What a host may do, each with its own rows only: policies restrict them by the host of the login. */
const GRANTS = [
  'USAGE ON SCHEMA manyhands',
  'SELECT, INSERT, UPDATE ON manyhands.hosts',
  'SELECT, UPDATE (state) ON manyhands.orders',
  'SELECT (id, sequence), INSERT ON manyhands.reports',
  'SELECT ON manyhands.commands',
];

/** Creates the login of a host, or gives it a new token, which ends the sessions of the old one; returns the token. */
export async function createHostRole(
  client: ClientBase,
  host: string,
  world: World,
): Promise<{ role: string; token: string }> {
  const role = await roleOf(client, host);
  const token = `${world.token()}${world.token()}`.replaceAll('-', '');
  const isKnown = (await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role])).rowCount === 1;
  const options = `LOGIN NOINHERIT CONNECTION LIMIT ${MOST_CONNECTIONS} PASSWORD '${scramVerifier(token, world.token())}'`;
  await client.query(`${isKnown ? 'ALTER' : 'CREATE'} ROLE ${role} ${options}`);
  for (const grant of GRANTS) await client.query(`GRANT ${grant} TO ${role}`);
  await client.query(
    `INSERT INTO manyhands.host_roles (role, host) VALUES ($1, $2) ON CONFLICT (role) DO UPDATE SET host = excluded.host`,
    [role, host],
  );
  if (isKnown) await endSessions(client, role);
  else await client.query('UPDATE manyhands.hosts SET draining = false WHERE name = $1', [host]);
  return { role, token };
}

/**
 * Removes the login of a host and ends its sessions; false if it has none. Its lease ends by itself, because the host
 * must have ended its agents before its tasks start elsewhere; until then it gets no orders.
 */
export async function dropHostRole(client: ClientBase, host: string): Promise<boolean> {
  const role = await roleOf(client, host);
  const { rowCount } = await client.query('DELETE FROM manyhands.host_roles WHERE host = $1', [host]);
  const isKnown = (await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role])).rowCount === 1;
  if (!isKnown) return rowCount === 1;
  await client.query(`ALTER ROLE ${role} NOLOGIN`);
  await client.query('UPDATE manyhands.hosts SET draining = true WHERE name = $1', [host]);
  await endSessions(client, role);
  for (const grant of GRANTS) await client.query(`REVOKE ${grant} FROM ${role}`);
  await client.query(`DROP ROLE ${role}`);
  return true;
}

/** The host whose login this connection uses; undefined if it has the rights of a server. */
export async function readOwnHost(client: ClientBase): Promise<string | undefined> {
  const { rows } = await client.query<{ host: string | null }>('SELECT manyhands.own_host() AS host');
  return rows[0]?.host ?? undefined;
}

/** Roles belong to all databases of a server, so their names contain the installation. */
async function roleOf(client: ClientBase, host: string): Promise<string> {
  const { rows } = await client.query<{ id: string }>('SELECT id FROM manyhands.installation');
  return `mh_${(rows[0]?.id ?? '').replaceAll('-', '').slice(0, 12)}_${host.replaceAll('-', '_')}`;
}

/** A backend that is ended by its server reports an error to its client, which cannot log in again. */
async function endSessions(client: ClientBase, role: string): Promise<void> {
  await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [role]);
}

/** What PostgreSQL stores of a password, so that neither a statement nor a log contains the password itself; RFC 5802. */
function scramVerifier(password: string, random: string): string {
  const salt = Buffer.from(random.replaceAll('-', ''), 'hex');
  const salted = pbkdf2Sync(password, salt, SCRAM_ITERATIONS, 32, 'sha256');
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64');
  const serverKey = hmac('Server Key').toString('base64');
  return `SCRAM-SHA-256$${SCRAM_ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
