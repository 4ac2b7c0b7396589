import { AppError, messageOf } from '../errors.ts';
import { timeLimit } from '../process/time-limit.ts';
import { realWorld, type World } from '../world.ts';
import { type Rest, unavailable } from './rest.ts';

/** A forge that is accessed directly. */
export type HttpForge = { forge: string; baseUrl: string; authorization: string; timeoutMs?: number };

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 32 * 1024 * 1024;

/** Accesses a forge by HTTP; a login is never sent unencrypted, nor to a redirect. */
export function httpRest(
  { forge, baseUrl, authorization, timeoutMs = TIMEOUT_MS }: HttpForge,
  world: World = realWorld,
): Rest {
  requireSafe(baseUrl);
  return async ({ method, path, body, isFile = false }, signal) => {
    using limit = timeLimit(timeoutMs, world);
    const eitherSignal = AbortSignal.any([signal, limit.signal]);
    try {
      const accept = isFile ? '*/*' : 'application/json';
      const first = await fetch(`${baseUrl.replace(/\/+$/, '')}/${path}`, {
        method,
        headers: { Authorization: authorization, Accept: accept, 'Content-Type': 'application/json' },
        redirect: 'manual',
        signal: eitherSignal,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const response = isFile ? await followed(first, eitherSignal) : first;
      const text = await limited(response);
      return {
        ok: true,
        value: { status: response.status, headers: Object.fromEntries(response.headers), body: text },
      };
    } catch (error) {
      signal.throwIfAborted();
      const why = limit.signal.aborted ? 'it did not answer in time' : causeOf(error);
      return { ok: false, failure: unavailable(forge, why) };
    }
  };
}

/** Where a response points to, requested without the login. */
async function followed(response: Response, signal: AbortSignal): Promise<Response> {
  const location = response.headers.get('location');
  if (location === null || response.status < 300 || response.status >= 400) return response;
  const address = new URL(location, response.url);
  requireSafe(address.href);
  await response.body?.cancel();
  return fetch(address, { redirect: 'error', signal });
}

function requireSafe(baseUrl: string): void {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const isLocal = url !== undefined && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal)) return;
  throw new AppError('INPUT_INVALID', `${baseUrl} is not an https address; a login is not sent there`, { baseUrl });
}

async function limited(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? messageOf(error) : messageOf(cause);
}
