import type { IncomingMessage } from 'node:http';
import { AppError } from '../../errors.ts';
import { maxBodyBytes, pathOf } from '../request-guard.ts';

/** Deeper than any input; recursive code that reads a deeper value would exhaust the stack. */
const MAX_DEPTH = 200;
/** The first block of a body whose length is not stated. */
const FIRST_BYTES = 4096;
const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}');

/** The JSON body of a request; an empty body is an empty object. */
export async function readJson(incoming: IncomingMessage): Promise<unknown> {
  const bytes = await readBody(incoming, maxBodyBytes(pathOf(incoming)));
  if (bytes.length === 0) return {};
  if (isTooDeep(bytes)) throw new AppError('REQUEST_INVALID', `The body is nested deeper than ${MAX_DEPTH} levels`);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new AppError('REQUEST_INVALID', 'The body is not JSON in UTF-8', {}, { cause: error });
  }
}

/**
 * The bytes of a body, in one block that grows: the pieces are freed as they arrive. Reading stops at the limit, whatever
 * length the request stated; the answer then closes the connection.
 */
async function readBody(incoming: IncomingMessage, limit: number): Promise<Buffer> {
  let block = Buffer.allocUnsafeSlow(Math.min(limit, Number(incoming.headers['content-length'] ?? FIRST_BYTES)));
  let size = 0;
  for await (const piece of incoming.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.isBuffer(piece) ? piece : Buffer.from(String(piece));
    if (size + bytes.length > limit) {
      incoming.pause();
      throw new AppError('REQUEST_TOO_LARGE', `The request is larger than ${limit} bytes`);
    }
    if (size + bytes.length > block.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(limit, Math.max(2 * block.length, size + bytes.length)));
      block.copy(larger, 0, 0, size);
      block = larger;
    }
    size += bytes.copy(block, size);
  }
  return block.subarray(0, size);
}

function isTooDeep(json: Buffer): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) isText = !isText;
    else if (isText) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth += 1;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}
