import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors.ts';
import { MOST_BODY_BYTES } from './guard.ts';

/** The JSON that a request carries; an empty one is an empty object. Reading stops at the bound, whatever was promised. */
export async function readJson(incoming: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of incoming.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.isBuffer(piece) ? piece : Buffer.from(String(piece));
    size += bytes.length;
    if (size > MOST_BODY_BYTES)
      throw new AppError('REQUEST_TOO_LARGE', `The request is larger than ${MOST_BODY_BYTES} bytes`);
    pieces.push(bytes);
  }
  if (size === 0) return {};
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces)));
  } catch (error) {
    throw new AppError('REQUEST_INVALID', 'The body is not JSON in UTF-8', {}, { cause: error });
  }
}
