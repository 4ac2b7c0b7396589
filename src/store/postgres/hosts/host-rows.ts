import type { ClientBase } from 'pg';
import { type FleetHost, HostRegistration, parseHostText } from '../../fleet.ts';

/** The lease of a host, in seconds of the database's clock. */
const LEASE_SECONDS = 30;

/** The channel for notifications of hosts that register, drain, end or are removed; a trigger sends them. */
export const HOSTS_CHANNEL = 'manyhands_hosts';

/** A lease as the database confirmed it; `nowMs` is its clock. */
export type Lease = { isDraining: boolean; nowMs: number };

type LeaseRow = { draining: boolean; now_ms: number };
const LEASE_COLUMNS = 'draining, (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_ms';

function leaseOf(row: LeaseRow | undefined): Lease | undefined {
  return row === undefined ? undefined : { isDraining: row.draining, nowMs: row.now_ms };
}

/**
 * Registers a process as the host of its name; undefined while another process has a lease on it. `previous` are earlier
 * processes of the same data directory, whose lock the caller holds: those have ended. One that was killed while it
 * drained continues to drain.
 */
export async function registerHost(
  client: ClientBase,
  registration: HostRegistration,
  previous: readonly string[],
): Promise<Lease | undefined> {
  const { rows } = await client.query<LeaseRow>(
    `INSERT INTO manyhands.hosts (name, instance, registration, expires_at)
     VALUES ($1, $2, $3, clock_timestamp() + make_interval(secs => $5))
     ON CONFLICT (name) DO UPDATE SET
       instance = excluded.instance, registration = excluded.registration, expires_at = excluded.expires_at,
       registered_at = clock_timestamp()
     WHERE hosts.instance IS NULL OR hosts.instance::text = ANY($4) OR hosts.expires_at <= clock_timestamp()
     RETURNING ${LEASE_COLUMNS}`,
    [registration.name, registration.instance, JSON.stringify(registration), previous, LEASE_SECONDS],
  );
  return leaseOf(rows[0]);
}

/** Extends the lease; undefined if the leader has declared this process lost, or another one has the name. */
export async function renewHost(
  client: ClientBase,
  { name, instance }: { name: string; instance: string },
): Promise<Lease | undefined> {
  const { rows } = await client.query<LeaseRow>(
    `UPDATE manyhands.hosts SET expires_at = clock_timestamp() + make_interval(secs => $3)
     WHERE name = $1 AND instance = $2 RETURNING ${LEASE_COLUMNS}`,
    [name, instance, LEASE_SECONDS],
  );
  return leaseOf(rows[0]);
}

/** Ends the lease of a process that has stopped its agents; if it was draining, that has ended too. */
export async function endHost(
  client: ClientBase,
  { name, instance }: { name: string; instance: string },
): Promise<void> {
  await client.query(`UPDATE manyhands.hosts SET instance = NULL, draining = false WHERE name = $1 AND instance = $2`, [
    name,
    instance,
  ]);
}

/** Takes the lease of every host that did not renew it in time; nothing of these processes is accepted any more. */
export async function fenceExpired(client: ClientBase, epoch: number): Promise<void> {
  await client.query(
    `UPDATE manyhands.hosts SET instance = NULL
     WHERE instance IS NOT NULL AND expires_at <= clock_timestamp()
       AND EXISTS (SELECT 1 FROM manyhands.installation WHERE epoch = $1)`,
    [epoch],
  );
}

/** Lets a host finish what it runs, or accept orders again; false if there is none of this name. */
export async function setDraining(client: ClientBase, name: string, isDraining: boolean): Promise<boolean> {
  const { rowCount } = await client.query('UPDATE manyhands.hosts SET draining = $2 WHERE name = $1', [
    name,
    isDraining,
  ]);
  return rowCount === 1;
}

/** Forgets a host that is not alive; false if there is none, or it is. */
export async function removeHost(client: ClientBase, name: string): Promise<boolean> {
  const { rowCount } = await client.query(
    'DELETE FROM manyhands.hosts WHERE name = $1 AND (instance IS NULL OR expires_at <= clock_timestamp())',
    [name],
  );
  return rowCount === 1;
}

/** The processes that have a lease and the milliseconds that are left of it, also where the registration cannot be read. */
export async function readLeases(client: ClientBase): Promise<ReadonlyMap<string, number>> {
  const { rows } = await client.query<{ instance: string; left_ms: number }>(
    `SELECT instance, (extract(epoch FROM expires_at - clock_timestamp()) * 1000)::float8 AS left_ms
     FROM manyhands.hosts WHERE instance IS NOT NULL`,
  );
  return new Map(rows.map(({ instance, left_ms }) => [instance, Math.round(left_ms)]));
}

/** Every registered host, by name; one whose registration cannot be read is left out: another version wrote it, or the host another text. */
export async function readHosts(client: ClientBase): Promise<FleetHost[]> {
  const { rows } = await client.query<{
    instance: string | null;
    registration: string;
    draining: boolean;
    registered_at: Date;
    left_ms: number;
  }>(
    `SELECT instance, registration, draining, registered_at,
       (extract(epoch FROM expires_at - clock_timestamp()) * 1000)::float8 AS left_ms
     FROM manyhands.hosts ORDER BY name`,
  );
  return rows.flatMap(({ instance, registration, draining, registered_at, left_ms }) => {
    const parsed = HostRegistration.safeParse(parseHostText(registration));
    if (!parsed.success) return [];
    const times = { registeredAt: registered_at.getTime(), expiresInMs: Math.round(left_ms) };
    return [{ ...parsed.data, instance, isDraining: draining, ...times }];
  });
}
