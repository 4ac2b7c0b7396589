import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isAbsent } from '../../errors.ts';
import { RunId } from '../../schema/ids.ts';
import { crashpoint, type World } from '../../world.ts';
import { readPrivate, writePrivate } from '../private-file.ts';
import { makeLoginCode } from './login-codes.ts';
import { hashOf, isSameHash, makeSecret } from './secret.ts';

/** The read access of guests to one run, until a time. Only the hash of its token is stored. */
const Share = z.object({
  id: z.string().regex(/^[0-9a-f]{8}$/),
  run: RunId,
  token: z.string(),
  createdAt: z.number(),
  until: z.number(),
});
export type Share = z.infer<typeof Share>;

/** A new share, with its secrets: the token for programs, and the code with which one browser logs in once. */
export type NewShare = { share: Share; token: string; code: string };

/** Creates a share; each is a file of its own, so that concurrent processes never overwrite each other's. */
export async function makeShare(
  folder: string,
  { run, lastsMs }: { run: string; lastsMs: number },
  world: World,
): Promise<NewShare> {
  await mkdir(sharesFolder(folder), { recursive: true, mode: 0o700 });
  const now = world.now();
  const token = `${PREFIX}${makeSecret(world)}`;
  const id = idOf(token);
  const share: Share = { id, run: RunId.parse(run), token: hashOf(token), createdAt: now, until: now + lastsMs };
  await writePrivate(fileOf(folder, id), share, world);
  crashpoint('share.made');
  const code = await makeLoginCode(folder, { role: 'guest', share: id }, { world, until: share.until });
  return { share, token, code };
}

/** Known to redaction like every other token of this program. */
const PREFIX = 'mht_';

/** A share that is neither revoked nor expired. */
export async function findShare(folder: string, id: string, world: World): Promise<Share | undefined> {
  const found = Share.shape.id.safeParse(id).success ? await readPrivate(fileOf(folder, id), Share) : undefined;
  return found !== undefined && found.until > world.now() ? found : undefined;
}

/** The share of a token; only one file is read. */
export async function shareOfToken(folder: string, token: string, world: World): Promise<Share | undefined> {
  const share = token.startsWith(PREFIX) ? await findShare(folder, idOf(token), world) : undefined;
  return share !== undefined && isSameHash(share.token, hashOf(token)) ? share : undefined;
}

/** The shares that are not expired, oldest first; expired ones are removed. */
export async function listShares(folder: string, world: World): Promise<Share[]> {
  const names = await readdir(sharesFolder(folder)).catch((error: unknown) => {
    if (isAbsent(error)) return [];
    throw error;
  });
  const shares: Share[] = [];
  for (const name of names.filter((each) => each.endsWith('.json'))) {
    const share = await readPrivate(join(sharesFolder(folder), name), Share);
    if (share === undefined) continue;
    if (share.until > world.now()) shares.push(share);
    else await rm(fileOf(folder, share.id), { force: true });
  }
  return shares.sort((a, b) => a.createdAt - b.createdAt);
}

/** Ends a share at once; says whether there was one. */
export async function removeShare(folder: string, id: string, world: World): Promise<boolean> {
  const share = await findShare(folder, id, world);
  if (share === undefined) return false;
  crashpoint('share.removing');
  await rm(fileOf(folder, share.id), { force: true });
  return true;
}

function idOf(token: string): string {
  return hashOf(token).slice(0, 8);
}

function sharesFolder(folder: string): string {
  return join(folder, 'shares');
}

function fileOf(folder: string, id: string): string {
  return join(sharesFolder(folder), `${id}.json`);
}
