import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseSpan, parseWhen } from '../../../src/cli/start/schedule-options.ts';
import { momentText } from '../../../src/core/view/amounts.ts';

const zone = process.env.TZ;
beforeAll(() => {
  process.env.TZ = 'Europe/Berlin';
});
afterAll(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

/** Noon in Berlin, in winter. */
const NOON = Date.parse('2026-11-16T12:00:00+01:00');

function when(text: string, now = NOON): string {
  return new Date(parseWhen(text, now)).toISOString();
}

describe('a time to start at', () => {
  it('is the next occurrence of a local time of day', () => {
    expect(when('12:30')).toBe('2026-11-16T11:30:00.000Z');
    expect(when('7:30')).toBe('2026-11-17T06:30:00.000Z');
    expect(when('12:00')).toBe('2026-11-17T11:00:00.000Z');
  });

  it('is a local date and time, or one with a time zone', () => {
    expect(when('2026-12-01 07:30')).toBe('2026-12-01T06:30:00.000Z');
    expect(when('2026-12-01T07:30:15')).toBe('2026-12-01T06:30:15.000Z');
    expect(when('2026-12-01T07:30:00Z')).toBe('2026-12-01T07:30:00.000Z');
    expect(when('2026-12-01T07:30-05:00')).toBe('2026-12-01T12:30:00.000Z');
  });

  it('is a duration from now', () => {
    expect(parseWhen('+2h', NOON)).toBe(NOON + 7_200_000);
    expect(parseWhen('in 20m', NOON)).toBe(NOON + 1_200_000);
    expect(parseWhen('in 1h 30m', NOON)).toBe(NOON + 5_400_000);
  });

  it('skips a day on which daylight saving skips it, and finds an hour that is repeated', () => {
    const beforeSpring = Date.parse('2027-03-27T12:00:00+01:00');
    expect(when('02:30', beforeSpring)).toBe('2027-03-29T00:30:00.000Z');
    expect(() => parseWhen('2027-03-28 02:30', beforeSpring)).toThrow(/does not exist in the local time zone/);
    const betweenTheTwo = Date.parse('2026-10-25T02:45:00+02:00');
    expect(when('02:30', betweenTheTwo)).toBe('2026-10-25T01:30:00.000Z');
  });

  it.each([
    '',
    'soon',
    '25:00',
    '07:60',
    '7',
    '2026-13-01 07:30',
    '2026-02-30 07:30',
    '2026-02-30T07:30Z',
    '+',
    '+0m',
    '-2h',
    'in m',
    '+5x',
    '2026-12-01',
  ])('is rejected with the accepted forms: %j', (text) => {
    expect(() => parseWhen(text, NOON)).toThrow(/Use 07:30/);
  });

  it('is rejected when it has passed or is more than a year away', () => {
    expect(() => parseWhen('2026-11-16 11:59', NOON)).toThrow('2026-11-16 11:59 has passed');
    expect(() => parseWhen('2036-01-01 00:00', NOON)).toThrow('more than a year away');
    expect(() => parseWhen('+99999999999d', NOON)).toThrow(/year away|not a time/);
  });

  it('is printed as local time', () => {
    expect(momentText(NOON)).toBe('2026-11-16 12:00');
    expect(parseSpan('1.5h')).toBe(5_400_000);
    expect(parseSpan('10')).toBeUndefined();
  });
});
