import { expect, it } from 'vitest';
import { auditRecord } from '../../src/reports/audit-record.ts';
import { toMarkdown } from '../../src/reports/markdown.ts';
import { runReport } from '../../src/reports/run-report.ts';
import { added, attemptEnded, attempted, given, saved, spec, started } from '../support/given.ts';

const AGENT = { hosts: [{ host: 'api.example.com', requests: 3, refused: 1 }] };
const SETUP = { purpose: 'setup' as const, hosts: [{ host: 'registry.example.com', requests: 7, refused: 0 }] };
const CHECK = { purpose: 'check' as const, hosts: [], interruptions: 1 };

function endedRun() {
  return given(
    started(),
    added(spec('job')),
    attempted('job', 1),
    attemptEnded('job', 1, { saved: saved('job'), network: AGENT }),
    attempted('job', 2),
    attemptEnded('job', 2, { saved: saved('job') }),
    {
      type: 'run.ended',
      data: { status: 'done', reason: '', spend: { costUsd: 0, tokens: 0, turns: 0 }, network: [SETUP, CHECK] },
    },
  ).state;
}

it('has what each attempt reached, and what set-up commands and checks did', () => {
  const { attempts, commands } = auditRecord(endedRun(), [], 'head');
  expect(attempts.map(({ reached }) => reached)).toEqual([AGENT, null]);
  expect(commands).toEqual([SETUP, CHECK]);
});

it('is in the report too', () => {
  const page = runReport({ state: endedRun(), events: [], examination: null, unreadable: null });
  const text = toMarkdown(page);
  expect(text).toContain('Set-up commands requested of the network: registry');
  expect(text).toContain('Checks requested of the network: nothing; its proxy was started again 1 times');
});
