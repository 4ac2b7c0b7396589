import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  addSpend,
  affordable,
  capCharge,
  chargeOf,
  NOTHING,
  reservationFor,
  startOfDay,
  subtractSpend,
} from '../../../src/core/schedule/budget.ts';
import { dayText } from '../../../src/core/view/amounts.ts';
import { Config } from '../../../src/schema/config.ts';
import type { Spend } from '../../../src/schema/usage.ts';
import { given, spec, started, used } from '../../support/given.ts';

const usd = (costUsd: number) => ({ costUsd, tokens: 0, turns: 0 });
const money = (spentUsd: number, reservedUsd: number) => ({ spentUsd, reservedUsd });
const EMPTY = money(0, 0);

describe('what usage is charged', () => {
  it('is nothing when positively no model was called', () => {
    expect(chargeOf({ kind: 'none' }, usd(2))).toEqual(NOTHING);
  });

  it('is the whole reservation when it is unknown', () => {
    expect(chargeOf({ kind: 'unknown' }, usd(2))).toEqual(usd(2));
    expect(chargeOf({ kind: 'unknown', reportedUsd: 0.5 }, usd(2))).toEqual(usd(2));
    expect(chargeOf({ kind: 'unknown', reportedUsd: 3 }, usd(2))).toEqual(usd(3));
  });

  it('counts against the cap of an agent like an attempt that is reserved, also where nothing was reserved', () => {
    const config = Config.parse({ agents: { a: { kind: 'claude', spendUsd: 5 }, b: { kind: 'claude' } } });
    const attempt = (agent: string, reservation: Spend) => ({
      agent,
      usage: { kind: 'unknown' as const },
      reservation,
    });
    expect(capCharge(config, attempt('a', { ...NOTHING }))).toBe(config.budget.attempt);
    expect(capCharge(config, attempt('a', usd(2)))).toBe(2);
    expect(capCharge(config, attempt('b', { ...NOTHING }))).toBe(0);
  });

  it('is what is known, with tokens in and out', () => {
    expect(chargeOf(used(0.25), usd(2))).toEqual({ costUsd: 0.25, tokens: 15, turns: 1 });
  });
});

describe('sums of money', () => {
  it('are kept to a millionth, so that no dust collects', () => {
    expect(addSpend(usd(0.1), usd(0.2)).costUsd).toBe(0.3);
  });

  it('never fall below nothing', () => {
    expect(subtractSpend(usd(1), usd(2))).toEqual(NOTHING);
  });

  it('return to their previous values when a reservation is released', () => {
    const amount = fc.integer({ min: 0, max: 1_000_000_000 }).map((micro) => usd(micro / 1_000_000));
    fc.assert(
      fc.property(amount, amount, (a, b) => {
        expect(subtractSpend(addSpend(a, b), b)).toEqual(a);
      }),
    );
  });
});

describe('what an attempt sets aside', () => {
  const reserved = (budget: { run?: number; project?: number; attempt?: number }, costUsd?: number) => {
    const task = spec('job/1', costUsd === undefined ? {} : { limits: { costUsd } });
    return reservationFor(given(started({}, { budget })).state, task).costUsd;
  };

  it('is zero without a budget', () => {
    expect(reserved({ attempt: 3 })).toBe(0);
  });

  it('is the configured amount, or the limit of the task', () => {
    expect(reserved({ run: 10, attempt: 3 })).toBe(3);
    expect(reserved({ run: 10, attempt: 3 }, 0.5)).toBe(0.5);
  });

  it('is never more than a whole budget, so that a small one can be used at all', () => {
    expect(reserved({ run: 0.5, attempt: 3 })).toBe(0.5);
    expect(reserved({ run: 9, project: 0.25, attempt: 3 })).toBe(0.25);
  });
});

describe('whether a reservation fits', () => {
  const { budget } = Config.parse({ budget: { run: 2, project: 5 } });

  it('is yes up to exactly the cap', () => {
    expect(affordable(budget, usd(1), { run: money(0.5, 0.5), project: EMPTY })).toBe('yes');
  });

  it('is later when running attempts may release some', () => {
    expect(affordable(budget, usd(1), { run: money(0.5, 1), project: EMPTY })).toBe('later');
    expect(affordable(budget, usd(1), { run: EMPTY, project: money(1, 4) })).toBe('later');
  });

  it('is never when what is spent leaves too little, in the run or in the project', () => {
    expect(affordable(budget, usd(1), { run: money(1.5, 0), project: EMPTY })).toBe('never');
    expect(affordable(budget, usd(1), { run: money(0, 1.5), project: money(4.5, 0) })).toBe('never');
  });

  it('is always yes without a budget', () => {
    const unlimited = Config.parse({}).budget;
    expect(affordable(unlimited, usd(1000), { run: money(1e6, 1e6), project: money(1e6, 1e6) })).toBe('yes');
  });
});

it('counts daily caps by local days, as usage does', () => {
  const zone = process.env.TZ;
  onTestFinished(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });
  process.env.TZ = 'Pacific/Honolulu';
  const evening = Date.parse('2026-11-16T23:00:00-10:00');
  expect(dayText(startOfDay(evening))).toBe('2026-11-16');
  expect(startOfDay(evening)).toBe(Date.parse('2026-11-16T00:00:00-10:00'));
});
