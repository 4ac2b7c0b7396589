import type { Refusal, RefusalFacts } from './dialect.ts';
import type { Reason } from './step.ts';

const SAYS: Record<Reason, { status: number; code: string; message: string }> = {
  'rate-limit': { status: 429, code: 'rate_limit_exceeded', message: 'Rate limit reached for requests.' },
  'usage-limit': { status: 429, code: 'usage_limit_reached', message: 'The usage limit has been reached' },
  overloaded: { status: 503, code: 'server_is_overloaded', message: 'The server is overloaded.' },
  'server-error': { status: 500, code: 'server_error', message: 'The server had an error.' },
  auth: { status: 401, code: 'invalid_api_key', message: 'Incorrect API key provided.' },
  forbidden: { status: 403, code: 'permission_denied', message: 'You have no access to this resource.' },
  'model-not-found': { status: 404, code: 'model_not_found', message: 'The model does not exist.' },
  billing: { status: 429, code: 'insufficient_quota', message: 'You exceeded your current quota: check your billing.' },
  'context-full': {
    status: 400,
    code: 'context_length_exceeded',
    message: 'Your input exceeds the context window of this model.',
  },
};
/** Codes that stand in the field `type`, too: the client looks for them there. */
const TYPED = new Set(['usage_limit_reached', 'insufficient_quota']);

/** A refusal in the words of OpenAI's API. */
export function responsesRefusal({ reason, retryAfterSeconds, resetAtSeconds }: RefusalFacts): Refusal {
  const { status, code, message } = SAYS[reason];
  const type = TYPED.has(code) ? code : status >= 500 ? 'server_error' : 'invalid_request_error';
  const plan = reason === 'usage-limit' ? { plan_type: 'plus', resets_at: resetAtSeconds ?? 0 } : {};
  return {
    status,
    headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
    body: { error: { message, type, code, param: null, ...plan } },
  };
}
