import { describe, expect, it, onTestFinished } from 'vitest';
import { summarizeUsage } from '../../../src/core/view/usage.ts';
import { added, attemptEnded, attempted, given, spec, started } from '../../support/given.ts';

const KNOWN = {
  kind: 'known',
  costUsd: 0.25,
  inputTokens: 100,
  outputTokens: 10,
  cachedTokens: 5,
  turns: 2,
  model: 'big',
} as const;

function exampleState() {
  const reservation = { costUsd: 1, tokens: 0, turns: 0 };
  return given(
    started(),
    added(spec('implement/1.1'), spec('review/1')),
    attempted('implement/1.1', 1, { agent: 'one' }),
    attemptEnded('implement/1.1', 1, { usage: KNOWN }),
    attempted('review/1', 1, { agent: 'two', reservation }),
    attemptEnded('review/1', 1, { usage: { kind: 'unknown' } }),
  ).state;
}

describe('usage', () => {
  it('counts each attempt once, and unknown usage at its reservation', () => {
    expect(summarizeUsage([exampleState()], 'agent')).toEqual([
      {
        name: 'two',
        attempts: 1,
        calls: 0,
        unknown: 1,
        uncharged: 0,
        inputTokens: 0,
        outputTokens: 0,
        cachedTokens: 0,
        turns: 0,
        cost: 1,
      },
      {
        name: 'one',
        attempts: 1,
        calls: 0,
        unknown: 0,
        uncharged: 0,
        inputTokens: 100,
        outputTokens: 10,
        cachedTokens: 5,
        turns: 2,
        cost: 0.25,
      },
    ]);
  });

  it('is grouped by the billed model, also when none was named', () => {
    expect(summarizeUsage([exampleState()], 'model').map((row) => [row.name, row.cost])).toEqual([
      ['not reported', 1],
      ['big', 0.25],
    ]);
  });

  it('is grouped by local day', () => {
    const zone = process.env.TZ;
    onTestFinished(() => {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    });
    process.env.TZ = 'Pacific/Honolulu';
    expect(summarizeUsage([exampleState()], 'day').map((row) => row.name)).toEqual(['1969-12-31']);
  });

  it('is grouped by run, role and day', () => {
    expect(summarizeUsage([exampleState()], 'run').map((row) => [row.name, row.attempts])).toEqual([['r0000001', 2]]);
    expect(
      summarizeUsage([exampleState()], 'role')
        .map((row) => row.name)
        .sort(),
    ).toEqual(['implement', 'review']);
    expect(summarizeUsage([exampleState()], 'day').map((row) => row.name)).toEqual(['1970-01-01']);
    const days = (since: string, until: string) =>
      summarizeUsage([exampleState()], 'agent', { since, until, daily: true });
    expect(days('1970-01-01', '1970-01-01').map(({ day }) => day)).toEqual(
      days('1969-01-01', '2100-01-01').map(({ day }) => day),
    );
    expect(days('1970-01-01', '1970-01-01')[0]).toMatchObject({ day: '1970-01-01' });
    expect(days('1970-01-02', '2100-01-01')).toEqual([]);
  });

  it('counts each small call once, by its provider and its kind', () => {
    const reservation = { costUsd: 0.02, tokens: 0, turns: 0 };
    const called = given(
      started(),
      { type: 'call.started', data: { call: 'title', kind: 'title', reservation } },
      {
        type: 'call.ended',
        data: {
          call: 'title',
          tries: [
            { by: 'api:openai', usage: { kind: 'unknown' }, reservation, problem: 'no answer' },
            { by: 'one', usage: KNOWN, reservation },
          ],
          by: 'one',
          answer: { title: 'A title' },
        },
      },
    ).state;
    expect(called.reserved.costUsd).toBe(0);
    expect(called.spent.costUsd).toBe(0.27);
    expect(summarizeUsage([called], 'agent').map((row) => [row.name, row.calls, row.unknown, row.cost])).toEqual([
      ['one', 1, 0, 0.25],
      ['api:openai', 1, 1, 0.02],
    ]);
    expect(summarizeUsage([called], 'role').map((row) => [row.name, row.attempts, row.calls])).toEqual([
      ['title', 0, 2],
    ]);
  });
});
