import { mkdir, readdir, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isAbsent } from '../../errors.ts';
import { crashpoint, type World } from '../../world.ts';
import { readPrivate, writePrivate } from '../private-file.ts';
import { hashOf } from './secret.ts';

const LoginCode = z.discriminatedUnion('role', [
  z.object({ role: z.enum(['operator', 'viewer']), until: z.number() }),
  z.object({ role: z.literal('guest'), share: z.string(), until: z.number() }),
]);

/** What a code logs in as: an operator, a viewer, or a guest of one share. */
export type CodeGrant = { role: 'operator' | 'viewer' } | { role: 'guest'; share: string };

/** Long enough to copy a link from a terminal into a browser. */
const LASTS_MS = 10 * 60_000;

/**
 * Creates a code with which one browser can log in once. Its hash is stored in the data directory: every process of the
 * owner can create one, and the server accepts it now or after a restart.
 */
export async function makeLoginCode(
  folder: string,
  grant: CodeGrant,
  { world, until = world.now() + LASTS_MS }: { world: World; until?: number },
): Promise<string> {
  const code = world.token().replaceAll('-', '');
  await mkdir(codesFolder(folder), { recursive: true, mode: 0o700 });
  await removeOld(folder, world);
  await writePrivate(join(codesFolder(folder), hashOf(code)), { ...grant, until }, world);
  return code;
}

/** Uses up a code and returns what it grants; of several concurrent uses one succeeds. */
export async function takeLoginCode(folder: string, code: string, world: World): Promise<CodeGrant | undefined> {
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
  return found.until > world.now() ? found : undefined;
}

/** A code of a share stays as long as the share may; all others last as long as a login. */
async function removeOld(folder: string, world: World): Promise<void> {
  for (const name of await readdir(codesFolder(folder))) {
    const file = join(codesFolder(folder), name);
    // A missing code was used.
    const stats = await stat(file).catch(() => undefined);
    if (stats === undefined || stats.mtimeMs + LASTS_MS >= world.now()) continue;
    const found = await readPrivate(file, LoginCode);
    if (found?.role !== 'guest' || found.until <= world.now()) await rm(file, { force: true });
  }
}

function codesFolder(folder: string): string {
  return join(folder, 'codes');
}
