import { expect } from 'vitest';
import type { Case, FaultCase, Row } from './cases.ts';
import { type Cell, cannot, fails, isStopped, works } from './cell.ts';

const WORK = {
  'edit and commit': works,
  'structured output': works,
  resume: works,
  'MCP tool call': works,
  'permission denial': works,
  'eight in parallel': works,
} as const;

/** What every program makes of a fault if nothing is in its way. */
const REPORTED: Record<FaultCase, Cell> = {
  '429 once': works,
  '429': fails('rate-limit'),
  '429 for an hour': fails('rate-limit'),
  'usage limit': fails('usage-limit'),
  overloaded: fails('overloaded'),
  '529': fails('overloaded'),
  '500': fails('overloaded'),
  '401': fails('auth'),
  '403': fails('auth'),
  '404 of the model': fails('model-not-found'),
  'no credit': fails('billing'),
  'context too long': fails('context-full'),
  'no bytes at all': fails('network'),
  'headers, then silence': fails('network'),
  'cut stream': fails('network'),
  'malformed stream': fails('network'),
  'empty stream': fails('network'),
  'page of HTML': fails('network'),
  'error in the stream': fails('overloaded'),
  'answer cut at its longest': fails('implementation'),
};

const ENDS = {
  'connection refused': fails('network'),
  hang: isStopped,
  'SIGTERM with children': fails('interrupted'),
  'SIGKILL with children': fails('killed'),
} as const;

const PLAIN: Record<Case, Cell> = { ...WORK, ...REPORTED, ...ENDS };

const stillWaits = cannot('none of its settings bounds how long it waits', isStopped, ({ requests }) =>
  expect(requests).toHaveLength(1),
);
const waitsForNetwork = cannot('it waits until there is a network', isStopped);
const endlessRequests = cannot('it asks again without end and says nothing of it', isStopped, ({ requests }) =>
  expect(requests.length).toBeGreaterThan(1),
);
const endsAsUsual = cannot('it ends a turn that was cut like any other', works, ({ result }) =>
  expect(result.text).toBe('and'),
);

/** What each program comes to in each case. */
export const TABLE: Record<Row, Record<Case, Cell>> = {
  claude: {
    ...PLAIN,
    'usage limit': cannot('a key has no subscription whose limit could be reached', fails('rate-limit')),
  },
  codex: { ...PLAIN, 'no bytes at all': stillWaits, 'connection refused': waitsForNetwork },
  gemini: {
    ...PLAIN,
    '429 for an hour': fails('usage-limit'),
    'no bytes at all': stillWaits,
    'headers, then silence': stillWaits,
    'answer cut at its longest': fails('bad-output'),
    'SIGTERM with children': cannot('it leaves as if it had finished', fails('crashed'), ({ exit }) =>
      expect(exit).toEqual({ kind: 'exited', code: 0 }),
    ),
  },
  'claude-agent-acp': PLAIN,
  'codex-acp': {
    ...PLAIN,
    'permission denial': fails('refused'),
    'no bytes at all': stillWaits,
    'connection refused': waitsForNetwork,
  },
  'gemini --acp': {
    ...PLAIN,
    'no bytes at all': stillWaits,
    'headers, then silence': stillWaits,
    'answer cut at its longest': endsAsUsual,
  },
  'opencode acp': {
    ...PLAIN,
    '429 for an hour': cannot('it waits for that hour', isStopped, ({ requests }) => expect(requests).toHaveLength(1)),
    'usage limit': endlessRequests,
    overloaded: endlessRequests,
    '529': endlessRequests,
    '500': endlessRequests,
    '404 of the model': cannot('it drops the status and keeps only the name', fails('unknown'), ({ result }) =>
      expect(result.failure?.message).toContain('claude-sonnet-4-5'),
    ),
    'context too long': endlessRequests,
    'no bytes at all': stillWaits,
    'headers, then silence': stillWaits,
    'cut stream': endlessRequests,
    'malformed stream': endlessRequests,
    'empty stream': endlessRequests,
    'page of HTML': endlessRequests,
    'error in the stream': endlessRequests,
    'answer cut at its longest': endsAsUsual,
    'connection refused': waitsForNetwork,
  },
};
