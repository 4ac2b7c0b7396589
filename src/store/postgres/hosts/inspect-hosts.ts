import { AppError } from '../../../errors.ts';
import type { FleetHost } from '../../fleet.ts';
import { Connection } from '../connection.ts';
import { migrateSchema } from '../schema.ts';
import { readHosts, removeHost, setDraining } from './host-rows.ts';
import { readOrders } from './order-rows.ts';

/** A registered host with the orders that it has. */
export type HostWithOrders = FleetHost & { orders: string[] };

/** Every registered host of an installation. */
export async function inspectHosts(url: string): Promise<HostWithOrders[]> {
  await using connection = new Connection(url);
  return await connection.use(async (client) => {
    await migrateSchema(client);
    const hosts = await readHosts(client);
    const orders = await readOrders(client);
    const has = (host: FleetHost) => orders.filter(({ instance }) => instance === host.instance).map(({ id }) => id);
    return hosts.map((host) => ({ ...host, orders: has(host) }));
  });
}

/** Lets a host finish what it runs, or accept orders again. */
export async function drainHost(url: string, name: string, isDraining: boolean): Promise<void> {
  await using connection = new Connection(url);
  if (!(await connection.use((client) => setDraining(client, name, isDraining)))) throw unknownHost(name);
}

/** Forgets a host that has ended. */
export async function forgetHost(url: string, name: string): Promise<void> {
  await using connection = new Connection(url);
  await connection.use(async (client) => {
    if (await removeHost(client, name)) return;
    const isKnown = (await readHosts(client)).some((host) => host.name === name);
    if (isKnown) throw new AppError('REFUSED', `The host ${name} is alive: stop it first`, { name });
    throw unknownHost(name);
  });
}

function unknownHost(name: string): AppError {
  return new AppError('HOST_UNKNOWN', `There is no host ${name}`, { name });
}
