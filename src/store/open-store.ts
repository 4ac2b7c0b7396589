import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { World } from '../world.ts';
import { readPrivate, writePrivate } from './private-file.ts';
import { openSqliteStore } from './sqlite/open.ts';
import type { Store } from './store.ts';

/** `root` is the data directory; `lead`: whether this process is to be the engine, whose lock on the directory it holds. */
type StoreOptions = { root: string; file: string; env: NodeJS.ProcessEnv; world: World; lead: boolean };

/** An open store; `lost` is aborted when this process may not write any more. */
type OpenedStore = { store: Store; lost?: AbortSignal };

const ServerId = z.object({ id: z.string().min(1) });

/** Opens the store of a data directory: its own file, or with MANYHANDS_DATABASE_URL an installation on PostgreSQL. */
export async function openStore({ root, file, env, world, lead }: StoreOptions): Promise<OpenedStore> {
  const url = env.MANYHANDS_DATABASE_URL;
  if (!url) return { store: await openSqliteStore({ file, world }) };
  const { openPostgresStore } = await import('./postgres/open.ts');
  const directory = await serverId(root, world);
  // Only an engine holds the lock which proves that earlier engines of this directory have ended.
  const server = lead ? directory : `${directory}-${world.token()}`;
  return openPostgresStore({ url, file, world, candidate: { server, holder: `${hostname()}:${root}` }, lead });
}

/** Identifies a data directory on a machine; a copy of the directory on another machine is another server. */
async function serverId(root: string, world: World): Promise<string> {
  const file = join(root, 'server-id.json');
  const known = await readPrivate(file, ServerId);
  if (known !== undefined) return `${known.id}@${hostname()}`;
  const id = world.token();
  await writePrivate(file, { id }, world);
  return `${id}@${hostname()}`;
}
