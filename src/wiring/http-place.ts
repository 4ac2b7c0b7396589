import { join } from 'node:path';
import { z } from 'zod';
import type { Door } from '../cli/door.ts';
import type { Home } from '../home.ts';
import { makeLoginCode } from '../http/login-codes.ts';
import { readPrivate, writePrivate } from '../http/private-file.ts';
import { readLockHolder } from '../store/lock.ts';
import type { World } from '../world.ts';
import { writeLinkFile } from './http-link-file.ts';

const Address = z.object({ url: z.string(), pid: z.number().int(), kind: z.enum(['serve', 'run']) });
type Address = z.infer<typeof Address>;

/** Where everything of the server of a data directory lies, for its owner alone. */
export function serverFolder(home: Home): string {
  return join(home.root, 'server');
}

/** Held by the process that serves. */
export function serverLock(home: Home): string {
  return join(serverFolder(home), 'server.lock');
}

/** Tells other processes where the server is. */
export async function recordAddress(home: Home, address: Address, world: World): Promise<void> {
  await writePrivate(join(serverFolder(home), 'address.json'), address, world);
}

/** The server that another process has open; an address that a killed one left is not of the lock's holder. */
export async function standingDoor(home: Home, world: World): Promise<Door | undefined> {
  const address = await readPrivate(join(serverFolder(home), 'address.json'), Address);
  const holder = await readLockHolder(serverLock(home));
  return address !== undefined && holder?.pid === address.pid ? doorAt(home, address, world) : undefined;
}

/** The ways through a server whose address is known. */
export function doorAt(home: Home, address: Address, world: World): Door {
  const link = async (to?: string) => {
    const code = await makeLoginCode(serverFolder(home), 'operator', world);
    return `${address.url}/login#code=${code}${to === undefined ? '' : `&to=${encodeURIComponent(to)}`}`;
  };
  return { ...address, link, linkFile: async (to) => writeLinkFile(serverFolder(home), await link(to)) };
}
