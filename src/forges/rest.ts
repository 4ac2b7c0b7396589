import type { z } from 'zod';
import type { Answer, ForgeFailure } from './forge.ts';

export type RestRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  path: string;
  body?: unknown;
  /** The response is a file, perhaps at another address, to which the login is not sent. */
  isFile?: true;
};
/** A response; header names are in lower case. */
export type RestReply = { status: number; headers: Record<string, string>; body: string };

/** Sends a request to a forge, through its own program or directly. A failure means that there was no response. */
export type Rest = (request: RestRequest, signal: AbortSignal) => Promise<Answer<RestReply>>;

/** What the user can do when the forge refuses a request. */
export type Remedies = { forge: string; logIn: string; repo: string };

/** The delay if the forge does not specify one. */
const DEFAULT_RETRY_MS = 60_000;
const MAX_MESSAGE_CHARS = 400;

/** Sends a request and parses the response with the schema; each kind of refusal becomes a failure with its next step. */
export async function requestJson<S extends z.ZodType>(
  rest: Rest,
  request: RestRequest & { schema: S; remedies: Remedies },
  signal: AbortSignal,
): Promise<Answer<z.output<S>>> {
  const { schema, remedies, ...restRequest } = request;
  const reply = await rest(restRequest, signal);
  if (!reply.ok) return reply;
  const { status, body } = reply.value;
  if (status >= 300 || status < 200) return { ok: false, failure: failureOf(reply.value, remedies) };
  const parsed = schema.safeParse(parseJson(body));
  if (parsed.success) return { ok: true, value: parsed.data };
  const where = parsed.error.issues[0];
  const problem = `${where?.path.join('.') || 'the answer'}: ${where?.message ?? 'unknown'}`;
  return { ok: false, failure: unreadable(remedies.forge, `${restRequest.method} ${restRequest.path}: ${problem}`) };
}

/** Reads a file of the forge as text; one that does not exist (yet) is empty. */
export async function requestText(
  rest: Rest,
  { path, remedies }: { path: string; remedies: Remedies },
  signal: AbortSignal,
): Promise<Answer<string>> {
  const reply = await rest({ method: 'GET', path, isFile: true }, signal);
  if (!reply.ok) return reply;
  const { status, body } = reply.value;
  if (status === 404 || status === 410) return { ok: true, value: '' };
  return status >= 200 && status < 300
    ? { ok: true, value: body }
    : { ok: false, failure: failureOf(reply.value, remedies) };
}

/** There was no response, or none in time. */
export function unavailable(forge: string, message: string): ForgeFailure {
  const nextStep = `check the status of ${forge} and try again`;
  return { kind: 'unavailable', message: `${forge} could not be reached: ${message}`, nextStep };
}

/** The response could not be parsed. */
export function unreadable(forge: string, message: string): ForgeFailure {
  const nextStep = `check the pull requests of the repository at ${forge}, and update its program`;
  return { kind: 'unreadable', message: `${forge} sent an unexpected response: ${message}`, nextStep };
}

function failureOf(reply: RestReply, { forge, logIn, repo }: Remedies): ForgeFailure {
  const { status } = reply;
  const message = `${forge} answered ${status}: ${messageIn(reply.body)}`;
  if (isRateLimit(reply)) {
    const retryAfterMs = retryDelayMs(reply);
    return { kind: 'rate-limit', message, nextStep: `wait until ${forge} accepts requests again`, retryAfterMs };
  }
  if (status === 401) return { kind: 'auth', message, nextStep: logIn };
  if (status === 403) return { kind: 'auth', message, nextStep: `grant the login the permission: ${logIn}` };
  if (status === 404)
    return {
      kind: 'missing',
      message,
      nextStep: `check that ${repo} is the repository (git.repo) and that the login can access it`,
    };
  if (status >= 500 || status === 408) return { ...unavailable(forge, message), message };
  return { kind: 'refused', message, nextStep: 'resolve the reported problem, then try again' };
}

function isRateLimit({ status, headers, body }: RestReply): boolean {
  if (status === 429) return true;
  return status === 403 && (headers['x-ratelimit-remaining'] === '0' || /rate limit|abuse detection/i.test(body));
}

function retryDelayMs({ headers }: RestReply): number {
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : DEFAULT_RETRY_MS;
}

/** The message in an error's body, in any of the usual formats. */
function messageIn(body: string): string {
  const texts = textsIn(parseJson(body), 0);
  const text = texts.length > 0 ? [...new Set(texts)].join('; ') : body.replace(/<[^>]*>/g, ' ');
  return text.replace(/\s+/g, ' ').trim().slice(0, MAX_MESSAGE_CHARS) || 'no reason given';
}

const MESSAGE_KEYS = new Set(['message', 'error', 'errors', 'error_description', 'detail', 'base']);

function textsIn(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > 3) return [];
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item, depth + 1));
  return Object.entries(value).flatMap(([key, item]) => (MESSAGE_KEYS.has(key) ? textsIn(item, depth + 1) : []));
}

function parseJson(text: string): unknown {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    // The schema reports what is wrong with a body that is not JSON.
    return text;
  }
}
