import { createHmac } from 'node:crypto';
import { link, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { World } from '../../world.ts';
import { readPrivate, writePrivate } from '../private-file.ts';
import { isSameHash, makeSecret } from './secret.ts';

const Key = z.object({ key: z.string().min(32) });
const TOKEN = /^mhh_([0-9a-z]{8}-(?:\d+-\d+|check-[0-9a-f-]+))_(\d{1,15})_([0-9a-f]{64})$/;

/** Longer than any attempt, so that a host can still push the work of one that it has lost. */
const LASTS_MS = 7 * 24 * 3_600_000;

/** The token with which the host of an order uses the repository of the server: it fetches, and adds the work of an attempt. */
export async function makeOrderToken(folder: string, order: string, world: World): Promise<string> {
  const until = world.now() + LASTS_MS;
  return `mhh_${order}_${until}_${sign(await keyOf(folder, world), order, until)}`;
}

/** The order of a token, by its id; undefined if it is none of this data directory, or has expired. */
export async function orderOfToken(folder: string, token: string, world: World): Promise<string | undefined> {
  const [, order = '', until = '', signature = ''] = TOKEN.exec(token) ?? [];
  if (order === '' || Number(until) < world.now()) return undefined;
  const expected = sign(await keyOf(folder, world), order, Number(until));
  return isSameHash(expected, signature) ? order : undefined;
}

function sign(key: string, order: string, until: number): string {
  return createHmac('sha256', key).update(`order ${order} ${until}`).digest('hex');
}

/** Made once for a data directory, also where several orders need it at the same time. */
async function keyOf(folder: string, world: World): Promise<string> {
  const file = join(folder, 'order-key.json');
  const known = await readPrivate(file, Key);
  if (known !== undefined) return known.key;
  const made = `${file}.${world.token()}`;
  await writePrivate(made, { key: makeSecret(world) }, world);
  // Safe: another one was faster, and its key is read.
  await link(made, file).catch(() => {});
  await unlink(made);
  return Key.parse(await readPrivate(file, Key)).key;
}
