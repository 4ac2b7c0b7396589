import { expect, it } from 'vitest';
import { taskCost } from '../../../src/core/view/task-cost.ts';
import type { RunEvent } from '../../../src/schema/event.ts';
import { added, attemptEnded, attempted, failure, given, spec, started, used } from '../../support/given.ts';

const RESERVED = { reservation: { costUsd: 2, tokens: 0, turns: 0 } };
const UNKNOWN = { usage: { kind: 'unknown' } } as const;

function costAfter(...events: RunEvent[]) {
  const task = given(started(), added(spec('a')), ...events).state.tasks.a;
  return task === undefined ? undefined : taskCost(task);
}

it('sums the attempts of a task', () => {
  const first = attemptEnded('a', 1, { usage: used(0.5), failure: failure('tests') });
  const events = [attempted('a'), first, attempted('a', 2), attemptEnded('a', 2, { usage: used(0.25) })];
  expect(costAfter(...events)).toEqual({ costUsd: 0.75, bound: 'exact' });
});

it('counts the reservation of unknown usage and says that the cost is at most that', () => {
  const events = [attempted('a', 1, RESERVED), attemptEnded('a', 1, UNKNOWN)];
  expect(costAfter(...events)).toEqual({ costUsd: 2, bound: 'at-most' });
});

it('says that the cost is higher where nothing was reserved for unknown usage', () => {
  expect(costAfter(attempted('a'), attemptEnded('a', 1, UNKNOWN))).toEqual({ costUsd: 0, bound: 'at-least' });
});

it('does not count the reservation of a running attempt', () => {
  expect(costAfter(attempted('a', 1, RESERVED))).toEqual({ costUsd: 0, bound: 'exact' });
});
