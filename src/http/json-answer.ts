import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';

const pack = promisify(gzip);
/** Smaller answers are not worth the time. */
const PACK_FROM_CHARACTERS = 16 * 1024;
/** Most of what can be gained, in a fraction of the time: who asks is rarely far away. */
const LEVEL = constants.Z_BEST_SPEED;

/** An answer in JSON; a long one is packed, off the main thread, for whoever can unpack it. */
export async function jsonAnswer(value: unknown, accepted: string): Promise<Response> {
  const text = JSON.stringify(value ?? {});
  const headers = { 'content-type': 'application/json; charset=utf-8', vary: 'accept-encoding' };
  if (text.length < PACK_FROM_CHARACTERS || !/\bgzip\b/.test(accepted)) return new Response(text, { headers });
  const bytes = new Uint8Array(await pack(text, { level: LEVEL }));
  return new Response(bytes, { headers: { ...headers, 'content-encoding': 'gzip' } });
}
