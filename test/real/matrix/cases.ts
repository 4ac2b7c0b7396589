import type { Step } from '../model-server/step.ts';
import type { ProgramName } from '../programs.ts';

/** The ways in which real programs are driven, and the program behind each. */
export const ROWS = {
  claude: 'claude',
  codex: 'codex',
  gemini: 'gemini',
  'claude-agent-acp': 'claude-agent-acp',
  'codex-acp': 'codex-acp',
  'gemini --acp': 'gemini',
  'opencode acp': 'opencode',
} as const satisfies Record<string, ProgramName>;
export type Row = keyof typeof ROWS;

/** Work that goes well. */
export const WORK_CASES = [
  'edit and commit',
  'structured output',
  'resume',
  'MCP tool call',
  'permission denial',
  'eight in parallel',
] as const;

/** What the model does wrong; but for the first, it does so whenever it is asked. */
export const FAULTS = {
  '429 once': { fault: { kind: 'refusal', reason: 'rate-limit', retryAfterSeconds: 1, times: 1 }, say: 'There.' },
  '429': { fault: { kind: 'refusal', reason: 'rate-limit', retryAfterSeconds: 1 } },
  '429 for an hour': { fault: { kind: 'refusal', reason: 'rate-limit', retryAfterSeconds: 3600 } },
  'usage limit': { fault: { kind: 'refusal', reason: 'usage-limit' } },
  overloaded: { fault: { kind: 'refusal', reason: 'overloaded' } },
  '529': { fault: { kind: 'status', status: 529 } },
  '500': { fault: { kind: 'refusal', reason: 'server-error' } },
  '401': { fault: { kind: 'refusal', reason: 'auth' } },
  '403': { fault: { kind: 'refusal', reason: 'forbidden' } },
  '404 of the model': { fault: { kind: 'refusal', reason: 'model-not-found' } },
  'no credit': { fault: { kind: 'refusal', reason: 'billing' } },
  'context too long': { fault: { kind: 'refusal', reason: 'context-full' } },
  'no bytes at all': { fault: { kind: 'silence' } },
  'headers, then silence': { fault: { kind: 'stall' } },
  'cut stream': { fault: { kind: 'cut' } },
  'malformed stream': { fault: { kind: 'malformed' } },
  'empty stream': { fault: { kind: 'empty' } },
  'page of HTML': { fault: { kind: 'html' } },
  'error in the stream': { fault: { kind: 'error-event' } },
  'answer cut at its longest': { say: 'and', stop: 'max-tokens' },
} as const satisfies Record<string, Step>;
export type FaultCase = keyof typeof FAULTS;

/** Ends that somebody else brings about. */
export const END_CASES = ['connection refused', 'hang', 'SIGTERM with children', 'SIGKILL with children'] as const;

export type Case = (typeof WORK_CASES)[number] | FaultCase | (typeof END_CASES)[number];
