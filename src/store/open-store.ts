import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { World } from '../world.ts';
import type { Fleet } from './fleet.ts';
import type { Candidate } from './postgres/term.ts';
import { readPrivate, writePrivate } from './private-file.ts';
import { openSqliteStore } from './sqlite/open.ts';
import type { Store } from './store.ts';

/**
 * `root` is the data directory; `lead`: whether this process is to be the engine, whose lock on the directory it holds;
 * `onLeading` then closes what this process has opened of a file that is now written by one connection only.
 */
type StoreOptions = {
  root: string;
  file: string;
  env: NodeJS.ProcessEnv;
  world: World;
  lead: boolean;
  onLeading?: (() => Promise<void>) | undefined;
};

/**
 * An open store; `lost` is aborted when this process may not write any more, and `onDoubt` calls its listener when that may
 * happen within seconds. `fleet`: the hosts, where it leads on PostgreSQL.
 */
type OpenedStore = { store: Store; lost?: AbortSignal; onDoubt?(listener: () => void): void; fleet?: Fleet };

const ServerId = z.object({ id: z.string().min(1) });

/** Opens the store of a data directory: its own file, or with MANYHANDS_DATABASE_URL an installation on PostgreSQL. */
export async function openStore({ root, file, env, world, lead, onLeading }: StoreOptions): Promise<OpenedStore> {
  const url = env.MANYHANDS_DATABASE_URL;
  if (!url) return { store: await openSqliteStore({ file, world }) };
  const { openPostgresStore } = await import('./postgres/open.ts');
  const directory = await candidateOf(root, world);
  // Only an engine holds the lock which proves that earlier engines of this directory have ended.
  const candidate = lead ? directory : { ...directory, server: `${directory.server}-${world.token()}` };
  return openPostgresStore({ url, file, world, candidate, lead, ...(onLeading === undefined ? {} : { onLeading }) });
}

/** A data directory as a server that may lead; a copy of the directory on another machine is another server. */
export async function candidateOf(root: string, world: World): Promise<Candidate> {
  const file = join(root, 'server-id.json');
  let known = await readPrivate(file, ServerId);
  if (known === undefined) {
    known = { id: world.token() };
    await writePrivate(file, known, world);
  }
  return { server: `${known.id}@${hostname()}`, holder: `${hostname()}:${root}` };
}
