import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { ServerHandle } from '../access/server-handle.ts';
import type { Home } from '../home.ts';
import { makeLoginCode } from '../store/credentials/login-codes.ts';
import { readLockHolder } from '../store/lock.ts';
import { readPrivate, writePrivate } from '../store/private-file.ts';
import type { World } from '../world.ts';

const Address = z.object({ url: z.string(), pid: z.number().int(), kind: z.enum(['serve', 'run']) });
type Address = z.infer<typeof Address>;

/** Held by the process that runs the server. */
export function serverLock(home: Home): string {
  return join(home.server, 'server.lock');
}

/** Records the address for other processes. */
export async function recordAddress(home: Home, address: Address, world: World): Promise<void> {
  await writePrivate(join(home.server, 'address.json'), address, world);
}

/** The server of another process; an address that a killed process left does not match the lock's holder. */
export async function runningServer(home: Home, world: World): Promise<ServerHandle | undefined> {
  const address = await readPrivate(join(home.server, 'address.json'), Address);
  const holder = await readLockHolder(serverLock(home));
  return address !== undefined && holder?.pid === address.pid ? serverAt(home, address, world) : undefined;
}

/** A handle for a server whose address is known. */
export function serverAt(home: Home, address: Address, world: World): ServerHandle {
  const link = async (to?: string) => {
    const code = await makeLoginCode(home.server, { role: 'operator' }, { world });
    return `${address.url}/login#code=${code}${to === undefined ? '' : `&to=${encodeURIComponent(to)}`}`;
  };
  return { ...address, link, linkFile: async (to) => writeLinkFile(home.server, await link(to)) };
}

/** Writes a page that redirects to a login link; only its owner can read it, and the link is valid once. */
async function writeLinkFile(folder: string, link: string): Promise<string> {
  const file = join(folder, 'open.html');
  const safe = link.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(
    file,
    `<!doctype html><meta charset="utf-8"><title>Manyhands</title><meta http-equiv="refresh" content="0;url=${safe}"><a href="${safe}">Manyhands</a>\n`,
    { mode: 0o600 },
  );
  await chmod(file, 0o600);
  return file;
}
