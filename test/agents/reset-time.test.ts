import { describe, expect, it } from 'vitest';
import { resetTimeIn } from '../../src/agents/reset-time.ts';

const FROM = Date.parse('2026-11-15T18:38:59Z');
const local = (...parts: [number, number, number, number, number]) => new Date(...parts).getTime();
const inSeconds = (seconds: number) => FROM + seconds * 1000;

describe('the time at which a limit ends', () => {
  it.each<[string, number]>([
    ["You've hit your 5-hour limit · resets 7:38pm (UTC)", Date.parse('2026-11-15T19:38:00Z')],
    ['RESETS 6PM (utc)', Date.parse('2026-11-16T18:00:00Z')],
    ['resets at 12am (UTC)', Date.parse('2026-11-16T00:00:00Z')],
    ['resets 12:30pm (America/New_York)', Date.parse('2026-11-16T17:30:00Z')],
    ['resets 1am (Asia/Kolkata)', Date.parse('2026-11-15T19:30:00Z')],
    ['weekly limit · resets Nov 20, 5pm (America/Los_Angeles)', Date.parse('2026-11-21T01:00:00Z')],
    ['resets Mon 9:00 AM (UTC)', Date.parse('2026-11-16T09:00:00Z')],
    ['Claude AI usage limit reached|1794771538', 1_794_771_538_000],
    ['Try again at 3:18 PM PST.', Date.parse('2026-11-15T23:18:00Z')],
    ['try again at 03:18 UTC', Date.parse('2026-11-16T03:18:00Z')],
    ['try again at 19:18 GMT+2', Date.parse('2026-11-16T17:18:00Z')],
    ['You can use it again tomorrow at 8am (UTC)', Date.parse('2026-11-16T08:00:00Z')],
    ['Your quota will reset after 2h3m4s.', inSeconds(7384)],
    ['Please try again in 1 day 2 hours and 5 minutes', inSeconds(93_900)],
    ['please retry in 34.5s', inSeconds(34.5)],
    ['Rate limited. Please wait 20 seconds', inSeconds(20)],
    ['try again in 450ms', inSeconds(0.45)],
    ['429 Too Many Requests\nRetry-After: 3600', inSeconds(3600)],
    ['{"error":{"retry_after":12}}', inSeconds(12)],
    ['Please try again in about 5 minutes', inSeconds(300)],
    ['try again in 2 weeks', inSeconds(14 * 86_400)],
    ['Please try again in an hour.', inSeconds(3600)],
    ['try again in a minute', inSeconds(60)],
    ['limit will reset in 01:30:00', inSeconds(5400)],
    ['ratelimit-reset: 60', inSeconds(60)],
    ['x-ratelimit-reset-after: 12.5', inSeconds(12.5)],
    ['reset_time: 2026-11-15T20:00:00.000Z', Date.parse('2026-11-15T20:00:00Z')],
    ['Your quota will reset at midnight Pacific time', Date.parse('2026-11-16T08:00:00Z')],
    ['resets at noon (UTC)', Date.parse('2026-11-16T12:00:00Z')],
    ['try again after 3:18 PM UTC', Date.parse('2026-11-16T15:18:00Z')],
    ['try again after 2026-11-15 20:00 UTC', Date.parse('2026-11-15T20:00:00Z')],
    ['x-ratelimit-reset: 1794771538', 1_794_771_538_000],
    ['X-RateLimit-Reset: 90', inSeconds(90)],
    ['x-ratelimit-reset-requests: 6m0s', inSeconds(360)],
    ['x-ratelimit-reset-tokens: 1h2m\nretry-after: 7', inSeconds(7)],
    ['retry-after-ms: 1500', inSeconds(1.5)],
    ['Retry-After: Sun, 15 Nov 2026 20:00:00 GMT', Date.parse('2026-11-15T20:00:00Z')],
    ['"retryDelay": "17s"', inSeconds(17)],
    ['"resets_in_seconds":600', inSeconds(600)],
    ['"resets_at":1794771538', 1_794_771_538_000],
    ['anthropic-ratelimit-requests-reset: 2026-11-15T19:00:00Z', Date.parse('2026-11-15T19:00:00Z')],
    ['Your limit resets at 2026-11-15T19:00:00+01:00', Date.parse('2026-11-15T18:00:00Z')],
  ])('is found in "%s"', (text, expected) => {
    expect(resetTimeIn(text, FROM)).toBe(expected);
  });

  it('is in the minute that has begun, and not a day later, where the text has no seconds', () => {
    expect(resetTimeIn('resets 6:38pm (UTC)', FROM)).toBe(Date.parse('2026-11-15T18:38:00Z'));
    expect(resetTimeIn('resets 6:37pm (UTC)', FROM)).toBe(Date.parse('2026-11-16T18:37:00Z'));
  });

  it('is in the time zone of this machine if the text names none', () => {
    const noon = local(2026, 10, 15, 12, 0);
    expect(resetTimeIn('Try again at 3:18 PM.', noon)).toBe(local(2026, 10, 15, 15, 18));
    expect(resetTimeIn('try again at 11:30 AM', noon)).toBe(local(2026, 10, 16, 11, 30));
    expect(resetTimeIn('try again at Nov 18th, 2026 6:46 am', noon)).toBe(local(2026, 10, 18, 6, 46));
    expect(resetTimeIn('available again Jan 1 12:00 PM', local(2026, 11, 31, 12, 0))).toBe(local(2027, 0, 1, 12, 0));
  });

  it.each([
    ['try again later.', 'no time', 'resets soon', 'resets 25pm (UTC)', 'resets 7:99pm (UTC)'],
    ['resets 7pm (Nowhere/Land)', 'try again at 25:99 PM', 'try again at Foo 1st, 2027 12:00 PM'],
    ['retry 3 times', 'try again with 5 files', 'resets at 1999999999999999', 'until 12 tests pass'],
    ['wait a moment', 'retry a second agent', 'the midnight job failed', 'retry one more time'],
  ])('is not guessed: %s, %s, %s', (...texts) => {
    for (const text of texts) expect(resetTimeIn(text, FROM), text).toBeUndefined();
  });
});
