import { describe, expect, it } from 'vitest';
import { isBetter, isWorse, measuredValue } from '../../../src/core/land/measure.ts';
import { evidence } from '../../support/given.ts';

const number = { metric: 'number', better: 'lower' } as const;
const duration = { metric: 'duration', better: 'lower' } as const;
const exit = { metric: 'exit', better: 'lower' } as const;
const result = (more: object) => ({ ...evidence('m', 'pass'), ...more });

describe('a measurement', () => {
  it.each([
    ['12 problems', 12],
    ['a 3\nb -4.5', -4.5],
    ['no figure', undefined],
  ])('is the last number that the command prints: %j', (output, value) => {
    expect(measuredValue(number, result({ output }))).toBe(value);
    expect(measuredValue(number, result({ output, verdict: 'fail', exitCode: 1 }))).toBe(value);
  });

  it('shows nothing when the command could not run', () => {
    for (const exitCode of [126, 127, null])
      expect(measuredValue(number, result({ output: '1', exitCode }))).toBe(undefined);
    expect(measuredValue(duration, result({ exitCode: 1 }))).toBe(undefined);
    expect(measuredValue(exit, result({ verdict: 'fail', exitCode: 1 }))).toBe(1);
    expect(measuredValue({ metric: 'tests', better: 'higher' }, result({}))).toBe(undefined);
  });

  it('is better only in the right direction, and a duration only by a tenth', () => {
    expect([isBetter(number, 3, 2), isBetter(number, 3, 3), isBetter(number, 3, 4)]).toEqual([true, false, false]);
    expect(isBetter({ metric: 'tests', better: 'higher' }, 3, 4)).toBe(true);
    expect([isBetter(duration, 1000, 950), isBetter(duration, 1000, 900)]).toEqual([false, true]);
    expect([isWorse(number, 3, 4), isWorse(duration, 1000, 2000)]).toEqual([true, false]);
  });
});
