import { createHmac } from 'node:crypto';
import { link, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { World } from '../../world.ts';
import { HostName } from '../fleet.ts';
import { readPrivate, writePrivate } from '../private-file.ts';
import { isSameHash, makeSecret } from './secret.ts';

/** What the host of an order may do with the repository of the server: fetch these commits, and add the work of an attempt. */
export const OrderAccess = z.object({
  order: z.string().regex(/^[0-9a-z]{8}-(?:\d+-\d+|check-[0-9a-f-]+)$/),
  host: HostName,
  commits: z.array(z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/)),
});
export type OrderAccess = z.infer<typeof OrderAccess>;

const Key = z.object({ key: z.string().min(32) });
const Signed = OrderAccess.extend({ until: z.number() });
const TOKEN = /^mhh_([0-9A-Za-z_-]+)_([0-9a-f]{64})$/;

/** Longer than any attempt, so that a host can still push the work of one that it has lost. */
const LASTS_MS = 7 * 24 * 3_600_000;

/** The token with which the host of an order uses the repository of the server. */
export async function makeOrderToken(folder: string, access: OrderAccess, world: World): Promise<string> {
  const signed: z.infer<typeof Signed> = { ...access, until: world.now() + LASTS_MS };
  const text = Buffer.from(JSON.stringify(signed)).toString('base64url');
  return `mhh_${text}_${sign(await keyOf(folder, world), text)}`;
}

/** What a token allows; undefined if it is none of this data directory, or has expired. */
export async function accessOfToken(folder: string, token: string, world: World): Promise<OrderAccess | undefined> {
  const [, text = '', signature = ''] = TOKEN.exec(token) ?? [];
  if (text === '' || !isSameHash(sign(await keyOf(folder, world), text), signature)) return undefined;
  const { until, ...access } = Signed.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
  return until < world.now() ? undefined : access;
}

function sign(key: string, text: string): string {
  return createHmac('sha256', key).update(`order ${text}`).digest('hex');
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
