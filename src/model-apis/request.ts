import { z } from 'zod';
import { errorCode, messageOf } from '../errors.ts';
import { timeLimit } from '../process/time-limit.ts';
import type { Usage } from '../schema/usage.ts';
import type { RequestOptions } from './model-api.ts';

/** One request to a vendor. */
export type VendorRequest = { url: string; headers: Record<string, string>; body: unknown };

/** The response: a document, or why there is none and whether a model may have been billed. */
export type VendorReply = { kind: 'body'; body: unknown } | { kind: 'failed'; problem: string; usage: Usage };

/** Errors before a connection was made, so that no model was called. */
const UNREACHED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);
const LONGEST_PROBLEM = 200;
const Refusal = z.looseObject({ error: z.looseObject({ message: z.string() }) });

/** Sends one JSON document and reads one; it never sends the key to a redirect, and never retries. */
export async function sendOnce(
  request: VendorRequest,
  options: RequestOptions,
  signal: AbortSignal,
): Promise<VendorReply> {
  signal.throwIfAborted();
  using limit = timeLimit(options.timeoutMs, options.world);
  try {
    const response = await fetch(request.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...request.headers },
      body: JSON.stringify(request.body),
      redirect: 'error',
      signal: AbortSignal.any([signal, limit.signal]),
    });
    const text = await response.text();
    if (!response.ok) return failed(`${response.status}: ${refusalText(text)}`, { kind: 'none' });
    const body = parsed(text);
    return body === undefined ? failed('its answer is not JSON', { kind: 'unknown' }) : { kind: 'body', body };
  } catch (error) {
    signal.throwIfAborted();
    if (limit.signal.aborted) return failed(`no answer within ${options.timeoutMs / 1000} s`, { kind: 'unknown' });
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return failed(messageOf(cause), UNREACHED.has(errorCode(cause) ?? '') ? { kind: 'none' } : { kind: 'unknown' });
  }
}

function failed(problem: string, usage: Usage): VendorReply {
  return { kind: 'failed', problem: problem.slice(0, LONGEST_PROBLEM), usage };
}

function refusalText(text: string): string {
  const refusal = Refusal.safeParse(parsed(text));
  return refusal.success ? refusal.data.error.message : 'refused';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Reported to the caller as an answer that cannot be used.
    return undefined;
  }
}
