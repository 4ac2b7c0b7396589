import type { ClientBase } from 'pg';
import { AppError } from '../../../errors.ts';
import type { World } from '../../../world.ts';
import type { FleetHost } from '../../fleet.ts';
import { Connection } from '../connection.ts';
import { migrateSchema } from '../schema.ts';
import { createHostRole, dropHostRole } from './host-roles.ts';
import { readHosts, removeHost, setDraining } from './host-rows.ts';
import { readOrders } from './order-rows.ts';

/** A registered host with the attempts that it performs, or is to. */
export type HostWithAttempts = FleetHost & { attempts: string[] };

/** Every registered host of an installation. */
export async function inspectHosts(url: string): Promise<HostWithAttempts[]> {
  await using connection = new Connection(url);
  return await connection.use(async (client) => {
    await migrateSchema(client);
    const hosts = await readHosts(client);
    const attempts = (await readOrders(client)).filter(({ kind }) => kind === 'attempt');
    const of = (host: FleetHost) => attempts.filter(({ instance }) => instance === host.instance).map(({ id }) => id);
    return hosts.map((host) => ({ ...host, attempts: of(host) }));
  });
}

/** Lets a host finish what it runs, or accept orders again. */
export async function drainHost(url: string, name: string, isDraining: boolean): Promise<void> {
  await using connection = new Connection(url);
  if (!(await connection.use((client) => setDraining(client, name, isDraining)))) throw unknownHost(name);
}

/** Creates the login of a host, or replaces its token; returns the URL by which only this host reaches the installation. */
export async function addHost(url: string, name: string, world: World): Promise<string> {
  await using connection = new Connection(url);
  const { role, token } = await connection.use(async (client) => {
    await migrateSchema(client);
    return inTransaction(client, () => createHostRole(client, name, world));
  });
  const own = new URL(url);
  own.username = role;
  own.password = token;
  return own.href;
}

/** Removes the login of a host: its sessions end, and nothing of it is accepted any more. */
export async function revokeHost(url: string, name: string): Promise<void> {
  await using connection = new Connection(url);
  const isRevoked = await connection.use(async (client) => {
    await migrateSchema(client);
    return inTransaction(client, () => dropHostRole(client, name));
  });
  if (!isRevoked) throw new AppError('HOST_UNKNOWN', `The host ${name} has no login of its own`, { name });
}

async function inTransaction<T>(client: ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  const result = await work();
  await client.query('COMMIT');
  return result;
}

/** Forgets a host that has ended, with its login; where the login cannot be removed, the host stays. */
export async function forgetHost(url: string, name: string): Promise<void> {
  await using connection = new Connection(url);
  await connection.use((client) =>
    inTransaction(client, async () => {
      const isRemoved = await removeHost(client, name);
      const isKnown = !isRemoved && (await readHosts(client)).some((host) => host.name === name);
      if (isKnown) throw new AppError('REFUSED', `The host ${name} is alive: stop it first`, { name });
      // A host that has a login and was never started is forgotten too.
      if (!(await dropHostRole(client, name)) && !isRemoved) throw unknownHost(name);
    }),
  );
}

function unknownHost(name: string): AppError {
  return new AppError('HOST_UNKNOWN', `There is no host ${name}`, { name });
}
