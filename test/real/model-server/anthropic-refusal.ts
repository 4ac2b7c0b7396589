import type { Refusal, RefusalFacts } from './dialect.ts';
import type { Reason } from './step.ts';

const HOUR_SECONDS = 3_600;

const SAYS: Record<Reason, { status: number; type: string; message: (model: string) => string }> = {
  'rate-limit': {
    status: 429,
    type: 'rate_limit_error',
    message: () => "This request would exceed your organization's rate limit.",
  },
  'usage-limit': { status: 429, type: 'rate_limit_error', message: () => 'Your usage limit is reached.' },
  overloaded: { status: 529, type: 'overloaded_error', message: () => 'Overloaded' },
  'server-error': { status: 500, type: 'api_error', message: () => 'Internal server error' },
  auth: { status: 401, type: 'authentication_error', message: () => 'invalid x-api-key' },
  forbidden: { status: 403, type: 'permission_error', message: () => 'Your API key may not use this resource.' },
  'model-not-found': { status: 404, type: 'not_found_error', message: (model) => `model: ${model}` },
  billing: {
    status: 400,
    type: 'invalid_request_error',
    message: () => 'Your credit balance is too low to access the Anthropic API.',
  },
  'context-full': {
    status: 400,
    type: 'invalid_request_error',
    message: () => 'prompt is too long: 210000 tokens > 200000 maximum',
  },
};

/** A refusal in the words of Anthropic's API. */
export function anthropicRefusal({ reason, model, retryAfterSeconds, resetAtSeconds }: RefusalFacts): Refusal {
  const { status, type, message } = SAYS[reason];
  return {
    status,
    headers: {
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
      ...(reason === 'usage-limit' ? unifiedLimit(resetAtSeconds ?? 0) : {}),
    },
    body: { type: 'error', error: { type, message: message(model) }, request_id: 'req_scripted' },
  };
}

/** What a subscription's limit of five hours looks like; the client takes the reset time from here. */
function unifiedLimit(resetAtSeconds: number): Record<string, string> {
  const limit = {
    status: 'rejected',
    reset: String(resetAtSeconds),
    'representative-claim': 'five_hour',
    'overage-status': 'rejected',
    'overage-disabled-reason': 'org_level_disabled',
    '5h-status': 'rejected',
    '5h-reset': String(resetAtSeconds),
    '5h-utilization': '1.0',
    '7d-status': 'allowed',
    '7d-reset': String(resetAtSeconds + 24 * HOUR_SECONDS),
    '7d-utilization': '0.4',
  };
  return Object.fromEntries(
    Object.entries(limit).map(([name, value]) => [`anthropic-ratelimit-unified-${name}`, value]),
  );
}
