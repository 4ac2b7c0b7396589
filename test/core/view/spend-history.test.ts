import { describe, expect, it } from 'vitest';
import { estimateToFinish, spendHistory } from '../../../src/core/view/spend-history.ts';
import type { RunEvent } from '../../../src/schema/event.ts';
import { added, attemptEnded, attempted, given, spec, started, taskEnded } from '../../support/given.ts';

const cost = (costUsd: number) => ({
  usage: { kind: 'known' as const, costUsd, inputTokens: 1, outputTokens: 1, cachedTokens: 0, turns: 1 },
});

/** A task that was done for this many dollars. */
function done(key: string, usd: number): RunEvent[] {
  return [attempted(key), attemptEnded(key, 1, cost(usd)), taskEnded(key, 'done')];
}

describe('the estimate to finish', () => {
  const tasks = ['a', 'b', 'c', 'd'].map((key) => spec(key, { role: key === 'd' ? 'review' : 'implement' }));

  it('is what finished tasks of the same role cost, else all of them', () => {
    const { state } = given(started(), added(...tasks), ...done('a', 1), ...done('b', 3));
    expect(estimateToFinish(state)).toEqual({ usd: 4, tasks: 2, basis: 2 });
    const reviewed = given(started(), added(...tasks), ...done('a', 1), ...done('d', 9)).state;
    expect(estimateToFinish(reviewed)).toEqual({ usd: 2, tasks: 2, basis: 2 });
  });

  it('counts what an open task has already spent, and is never negative', () => {
    const { state } = given(
      started(),
      added(...tasks.slice(0, 2)),
      ...done('a', 2),
      attempted('b'),
      attemptEnded('b', 1, cost(5)),
    );
    expect(estimateToFinish(state)).toEqual({ usd: 0, tasks: 1, basis: 1 });
  });

  it('does not exist before a task is done, nor after the run', () => {
    const begun = given(started(), added(...tasks));
    expect(estimateToFinish(begun.state)).toBeUndefined();
    const ended = begun.and({
      type: 'run.ended',
      data: { status: 'cancelled', reason: 'x', spend: { costUsd: 0, tokens: 0, turns: 0 } },
    });
    expect(estimateToFinish(ended.state)).toBeUndefined();
  });
});

it('sums the spend over time from zero', () => {
  const { state } = given(started(), added(spec('a'), spec('b')), ...done('a', 1.5), ...done('b', 0.5));
  expect(spendHistory(state).map(({ usd }) => usd)).toEqual([0, 1.5, 2]);
});
