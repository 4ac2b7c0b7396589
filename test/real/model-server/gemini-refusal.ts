import type { Refusal, RefusalFacts } from './dialect.ts';
import type { Reason } from './step.ts';

const SAYS: Record<Reason, { code: number; status: string; message: string }> = {
  'rate-limit': { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Resource has been exhausted.' },
  'usage-limit': { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'You exceeded your current quota.' },
  overloaded: { code: 503, status: 'UNAVAILABLE', message: 'The model is overloaded.' },
  'server-error': { code: 500, status: 'INTERNAL', message: 'An internal error has occurred.' },
  auth: { code: 401, status: 'UNAUTHENTICATED', message: 'API key not valid.' },
  forbidden: { code: 403, status: 'PERMISSION_DENIED', message: 'The caller does not have permission.' },
  'model-not-found': { code: 404, status: 'NOT_FOUND', message: 'The model is not found for API version v1beta.' },
  billing: { code: 400, status: 'FAILED_PRECONDITION', message: 'Please enable billing on your project.' },
  'context-full': {
    code: 400,
    status: 'INVALID_ARGUMENT',
    message: 'The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).',
  },
};

/** A refusal in the words of Google's API. */
export function geminiRefusal({ reason, model, retryAfterSeconds }: RefusalFacts): Refusal {
  const { code, status, message } = SAYS[reason];
  return {
    status: code,
    headers: {},
    body: { error: { code, status, message, details: details(reason, model, retryAfterSeconds) } },
  };
}

/** A quota of a day, on which the client gives up at once, and the time to come again stand in the details. */
function details(reason: Reason, model: string, retryAfterSeconds: number | undefined): unknown[] {
  const quotaId = 'GenerateRequestsPerDayPerProjectPerModel-FreeTier';
  const violations = [{ quotaId, quotaDimensions: { model } }];
  return [
    ...(reason === 'usage-limit' ? [{ '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations }] : []),
    ...(retryAfterSeconds === undefined
      ? []
      : [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfterSeconds}s` }]),
  ];
}
