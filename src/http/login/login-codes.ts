import { mkdir, readdir, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isAbsent } from '../../errors.ts';
import { readPrivate, writePrivate } from '../../store/private-file.ts';
import { crashpoint, type World } from '../../world.ts';
import { hashOf } from './secret.ts';
import { TokenRole } from './tokens.ts';

const LoginCode = z.object({ role: TokenRole, until: z.number() });

/** Long enough to copy a link from a terminal into a browser. */
const LASTS_MS = 10 * 60_000;

/**
 * Creates a code with which one browser can log in once. Its hash is stored in the data directory: every process of the
 * owner can create one, and the server accepts it now or after a restart.
 */
export async function makeLoginCode(folder: string, role: TokenRole, world: World): Promise<string> {
  const code = world.token().replaceAll('-', '');
  await mkdir(codesFolder(folder), { recursive: true, mode: 0o700 });
  await removeOld(folder, world);
  await writePrivate(join(codesFolder(folder), hashOf(code)), { role, until: world.now() + LASTS_MS }, world);
  return code;
}

/** Uses up a code and returns its role; of several concurrent uses one succeeds. */
export async function takeLoginCode(folder: string, code: string, world: World): Promise<TokenRole | undefined> {
  const file = join(codesFolder(folder), hashOf(code));
  const found = await readPrivate(file, LoginCode);
  if (found === undefined) return undefined;
  crashpoint('login.taking');
  try {
    await unlink(file);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
  crashpoint('login.taken');
  return found.until > world.now() ? found.role : undefined;
}

async function removeOld(folder: string, world: World): Promise<void> {
  for (const name of await readdir(codesFolder(folder))) {
    const file = join(codesFolder(folder), name);
    // A missing code was used.
    const stats = await stat(file).catch(() => undefined);
    if (stats !== undefined && stats.mtimeMs + LASTS_MS < world.now()) await rm(file, { force: true });
  }
}

function codesFolder(folder: string): string {
  return join(folder, 'codes');
}
