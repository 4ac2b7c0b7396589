import type { ClientBase } from 'pg';
import { type FleetHost, HostRegistration } from '../../fleet.ts';

/** The lease of a host, in seconds of the database's clock. */
const LEASE_SECONDS = 30;

/** The channel for notifications of hosts that register, drain, end or are removed; a trigger sends them. */
export const HOSTS_CHANNEL = 'manyhands_hosts';

/** A lease as the database confirmed it. */
export type Lease = { isDraining: boolean };

/**
 * Registers a process as the host of its name; undefined while another process has a lease on it. `previous` is an earlier
 * process of the same data directory, whose lock the caller holds: that process has ended.
 */
export async function registerHost(
  client: ClientBase,
  registration: HostRegistration,
  previous: string | undefined,
): Promise<Lease | undefined> {
  const { rows } = await client.query<{ draining: boolean }>(
    `INSERT INTO manyhands.hosts (name, instance, registration, expires_at)
     VALUES ($1, $2, $3, clock_timestamp() + make_interval(secs => $5))
     ON CONFLICT (name) DO UPDATE SET
       instance = excluded.instance, registration = excluded.registration, expires_at = excluded.expires_at,
       registered_at = clock_timestamp(), draining = false
     WHERE hosts.instance IS NULL OR hosts.instance = $4 OR hosts.expires_at <= clock_timestamp()
     RETURNING draining`,
    [registration.name, registration.instance, JSON.stringify(registration), previous ?? null, LEASE_SECONDS],
  );
  const [row] = rows;
  return row === undefined ? undefined : { isDraining: row.draining };
}

/** Extends the lease; undefined if the leader has declared this process lost, or another one has the name. */
export async function renewHost(
  client: ClientBase,
  { name, instance }: { name: string; instance: string },
): Promise<Lease | undefined> {
  const { rows } = await client.query<{ draining: boolean }>(
    `UPDATE manyhands.hosts SET expires_at = clock_timestamp() + make_interval(secs => $3)
     WHERE name = $1 AND instance = $2 RETURNING draining`,
    [name, instance, LEASE_SECONDS],
  );
  const [row] = rows;
  return row === undefined ? undefined : { isDraining: row.draining };
}

/** Ends the lease of a process that has stopped its agents. */
export async function endHost(
  client: ClientBase,
  { name, instance }: { name: string; instance: string },
): Promise<void> {
  await client.query(`UPDATE manyhands.hosts SET instance = NULL WHERE name = $1 AND instance = $2`, [name, instance]);
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
  const { rowCount } = await client.query('DELETE FROM manyhands.hosts WHERE name = $1 AND instance IS NULL', [name]);
  return rowCount === 1;
}

/** Every registered host, by name; one whose registration another version wrote and this one cannot read is left out. */
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
    const parsed = HostRegistration.safeParse(JSON.parse(registration));
    if (!parsed.success) return [];
    const times = { registeredAt: registered_at.getTime(), expiresInMs: Math.round(left_ms) };
    return [{ ...parsed.data, instance, isDraining: draining, ...times }];
  });
}
