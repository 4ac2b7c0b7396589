import { describe, expect, it } from 'vitest';
import { benchResultOf, outcomesOf } from '../../../src/core/finish/outcomes.ts';
import type { GateSpec } from '../../../src/schema/gate.ts';
import type { Usage } from '../../../src/schema/usage.ts';
import {
  added,
  attemptEnded,
  attempted,
  failure,
  given,
  landed,
  landing,
  saved,
  spec,
  started,
  T0,
  taskEnded,
  worked,
} from '../../support/given.ts';

const CHECK: GateSpec = { gate: 'command', name: 'test', run: 'npm test', timeoutMs: 1000 };
const agents = {
  agents: { one: { kind: 'claude' as const, models: { standard: 'big' } }, two: { kind: 'codex' as const } },
};

const BILLED: Usage = {
  kind: 'known',
  costUsd: 0.5,
  inputTokens: 1,
  outputTokens: 1,
  cachedTokens: 0,
  turns: 1,
  model: 'billed',
};

describe('what a run has taught', () => {
  it('is good work only if it landed through a check, and bad work if a check rejected it', () => {
    const { state } = given(
      started({}, agents),
      added(spec('implement/1', { gates: [CHECK] }), spec('implement/2', { gates: [CHECK] }), spec('implement/3')),
      ...worked('implement/1'),
      { type: 'task.retrying', data: { task: 'implement/1', at: T0, counted: true, resume: false, evidence: 'red' } },
      attempted('implement/1', 2, { agent: 'two' }),
      attemptEnded('implement/1', 2, { usage: BILLED, saved: saved('implement/1') }),
      landing('implement/1'),
      landed('implement/1'),
      attempted('implement/2', 1),
      attemptEnded('implement/2', 1, { failure: failure('no-change') }),
      taskEnded('implement/2', 'failed', failure('no-change')),
      ...worked('implement/3'),
      landed('implement/3'),
    );
    expect(outcomesOf(state, 'failed')).toEqual([
      { role: 'implement', agent: 'one', model: 'big', attempts: 3, good: 0, bad: 2, costUsd: 0 },
      { role: 'implement', agent: 'two', model: 'billed', attempts: 1, good: 1, bad: 0, costUsd: 0.5 },
    ]);
  });

  it.each(['rate-limit', 'interrupted', 'environment', 'budget', 'network', 'unknown'] as const)(
    'is nothing about an agent whose attempt ended by %s',
    (kind) => {
      const { state } = given(
        started(),
        added(spec('implement/1', { gates: [CHECK] })),
        attempted('implement/1'),
        attemptEnded('implement/1', 1, { failure: failure(kind) }),
        taskEnded('implement/1', 'failed', failure(kind)),
      );
      expect(outcomesOf(state, 'failed')).toMatchObject([{ attempts: 1, good: 0, bad: 0 }]);
    },
  );

  it('is a good answer only in a run that ended verified', () => {
    const { state } = given(
      started(),
      added(spec('plan/1', { access: 'read' })),
      attempted('plan/1'),
      attemptEnded('plan/1'),
      taskEnded('plan/1', 'done'),
    );
    expect(outcomesOf(state, 'done')).toMatchObject([{ good: 1, bad: 0 }]);
    expect(outcomesOf(state, 'unverified')).toMatchObject([{ good: 0, bad: 0 }]);
    expect(outcomesOf(state, 'failed')).toMatchObject([{ good: 0, bad: 0 }]);
  });
});

describe('a benchmark', () => {
  const bench = { kind: 'code' as const, settings: '/project' };
  const task = added(spec('job/1', { gates: [CHECK] }));
  const end = { status: 'failed' as const, reason: 'over', at: T0 + 5 };

  it('is passed when its work landed through its check', () => {
    const { state } = given(started({ bench }), task, ...worked('job/1'), landed('job/1'));
    expect(benchResultOf(state, end)).toMatchObject({ kind: 'code', agent: 'one', verdict: 'pass' });
  });

  it('has taught nothing when something else than the model went wrong', () => {
    const authFailure = failure('auth');
    const { state } = given(
      started({ bench }),
      task,
      attempted('job/1'),
      attemptEnded('job/1', 1, { failure: authFailure }),
      taskEnded('job/1', 'failed', authFailure),
    );
    expect(benchResultOf(state, end)).toMatchObject({ verdict: 'error', reason: 'it was auth' });
  });

  it('is failed when its check failed', () => {
    const { state } = given(
      started({ bench }),
      task,
      ...worked('job/1'),
      taskEnded('job/1', 'failed', failure('tests')),
    );
    expect(benchResultOf(state, end)).toMatchObject({ verdict: 'fail', reason: 'its check failed' });
  });

  it('is no benchmark when it is none', () => {
    const { state } = given(started(), task, ...worked('job/1'), landed('job/1'));
    expect(benchResultOf(state, end)).toBeUndefined();
  });
});
