import { expect, it } from 'vitest';
import { errorFailure } from '../../../src/agents/acp/acp-failure.ts';
import type { FailureKind } from '../../../src/schema/failure.ts';

it.each<[string, FailureKind, { code: number; message: string; data?: unknown }]>([
  ['a model that Gemini does not find', 'model-not-found', { code: 500, message: 'The model is not found for API v1' }],
  ['a stream that Gemini lost', 'network', { code: 500, message: 'terminated' }],
  [
    'a request that Gemini could not send',
    'network',
    { code: 500, message: 'TypeError: fetch failed sending request' },
  ],
  ['an answer of which Gemini got half', 'network', { code: 500, message: 'Incomplete JSON segment at the end' }],
  ['an answer that is no JSON', 'network', { code: 500, message: 'Unterminated string in JSON at position 21' }],
  ['a status of 500 that says no more', 'overloaded', { code: 500, message: 'An internal error has occurred.' }],
  [
    'a model that did not answer Claude in time',
    'network',
    { code: -32603, message: 'Internal error: Request timed out', data: { errorKind: 'server_error' } },
  ],
  [
    'an answer of Claude that got too long',
    'implementation',
    { code: -32603, message: 'Internal error: API Error', data: { errorKind: 'max_output_tokens' } },
  ],
  ['a model of Codex with too much to do', 'overloaded', { code: -32603, message: 'We are experiencing high demand.' }],
  ['a wrong key in the words of OpenCode', 'auth', { code: -32603, message: 'Internal error: invalid x-api-key' }],
  ['unknown text', 'unknown', { code: -32603, message: 'Internal error: something else' }],
])('by ACP, %s is reported as %s', (_, kind, error) => {
  expect(errorFailure(error, 0)).toMatchObject({ kind });
});
