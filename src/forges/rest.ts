import type { z } from 'zod';
import type { Answer, ForgeFailure } from './forge.ts';

export type RestRequest = { method: 'GET' | 'POST' | 'PUT' | 'PATCH'; path: string; body?: unknown };
/** What came back; header names are in lower case. */
export type RestReply = { status: number; headers: Record<string, string>; body: string };

/** How a forge's interface is reached: by the forge's own program, or directly. A failure means: no reply. */
export type Rest = (request: RestRequest, signal: AbortSignal) => Promise<Answer<RestReply>>;

/** What a person can do when the forge does not let us. */
export type Remedies = { forge: string; logIn: string; repo: string };

/** A minute, where the forge does not say how long. */
const DEFAULT_REST_MS = 60_000;
const TOLD_CHARS = 400;

/** Asks and reads the answer as the schema says; each kind of refusal becomes a failure with its next step. */
export async function ask<S extends z.ZodType>(
  rest: Rest,
  request: RestRequest & { schema: S; remedies: Remedies },
  signal: AbortSignal,
): Promise<Answer<z.output<S>>> {
  const { schema, remedies, ...asked } = request;
  const reply = await rest(asked, signal);
  if (!reply.ok) return reply;
  const { status, body } = reply.value;
  if (status >= 300 || status < 200) return { ok: false, failure: failureOf(reply.value, remedies) };
  const parsed = schema.safeParse(parseJson(body));
  if (parsed.success) return { ok: true, value: parsed.data };
  const where = parsed.error.issues[0];
  const problem = `${where?.path.join('.') || 'the answer'}: ${where?.message ?? 'unknown'}`;
  return { ok: false, failure: unreadable(remedies.forge, `${asked.method} ${asked.path}: ${problem}`) };
}

/** No answer came, or none in time. */
export function unavailable(forge: string, message: string): ForgeFailure {
  const nextStep = `look at the state of ${forge} and try again`;
  return { kind: 'unavailable', message: `${forge} could not be reached: ${message}`, nextStep };
}

/** An answer came that says nothing we know. */
export function unreadable(forge: string, message: string): ForgeFailure {
  const nextStep = `look at the pull requests of the repository at ${forge}, and update its program`;
  return { kind: 'unreadable', message: `${forge} answered in a way that is not understood: ${message}`, nextStep };
}

function failureOf(reply: RestReply, { forge, logIn, repo }: Remedies): ForgeFailure {
  const { status } = reply;
  const message = `${forge} answered ${status}: ${messageIn(reply.body)}`;
  if (isRateLimit(reply)) {
    const retryAfterMs = restOf(reply);
    return { kind: 'rate-limit', message, nextStep: `wait until ${forge} takes requests again`, retryAfterMs };
  }
  if (status === 401) return { kind: 'auth', message, nextStep: logIn };
  if (status === 403) return { kind: 'auth', message, nextStep: `give the login the right to do it: ${logIn}` };
  if (status === 404)
    return {
      kind: 'missing',
      message,
      nextStep: `check that ${repo} is the repository (git.repo) and the login sees it`,
    };
  if (status >= 500 || status === 408) return { ...unavailable(forge, message), message };
  return { kind: 'refused', message, nextStep: 'settle what it says, then try again' };
}

function isRateLimit({ status, headers, body }: RestReply): boolean {
  if (status === 429) return true;
  return status === 403 && (headers['x-ratelimit-remaining'] === '0' || /rate limit|abuse detection/i.test(body));
}

function restOf({ headers }: RestReply): number {
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : DEFAULT_REST_MS;
}

/** The sentence in an error's body, whichever of the usual forms it has. */
function messageIn(body: string): string {
  const texts = textsIn(parseJson(body), 0);
  const text = texts.length > 0 ? [...new Set(texts)].join('; ') : body.replace(/<[^>]*>/g, ' ');
  return text.replace(/\s+/g, ' ').trim().slice(0, TOLD_CHARS) || 'no reason given';
}

const TELLING = new Set(['message', 'error', 'errors', 'error_description', 'detail', 'base']);

function textsIn(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > 3) return [];
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item, depth + 1));
  return Object.entries(value).flatMap(([key, item]) => (TELLING.has(key) ? textsIn(item, depth + 1) : []));
}

function parseJson(text: string): unknown {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    // No JSON is an answer too: the schema says what is wrong with it.
    return text;
  }
}
