import type { IncomingMessage } from 'node:http';
import { AppError } from '../../errors.ts';
import { MOST_BODY_BYTES } from '../request-guard.ts';

/** Deeper than anything that is asked for here; whoever reads on would run out of stack. */
const DEEPEST = 200;
const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}');

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
  const bytes = Buffer.concat(pieces);
  if (isTooDeep(bytes)) throw new AppError('REQUEST_INVALID', `The body is nested deeper than ${DEEPEST} levels`);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new AppError('REQUEST_INVALID', 'The body is not JSON in UTF-8', {}, { cause: error });
  }
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
    if (depth > DEEPEST) return true;
  }
  return false;
}
