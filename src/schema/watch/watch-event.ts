import { z } from 'zod';
import { RunId } from '../ids.ts';
import { StartOptions } from '../request.ts';
import { RoundResult, WakeReason } from './watch-round.ts';

/** How a project is watched. */
export const WatchSettings = z.object({
  options: StartOptions,
  minMs: z.number().int().positive().default(300_000).describe('The shortest time between rounds.'),
  maxMs: z.number().int().positive().default(21_600_000).describe('The longest time between rounds.'),
  budgetPerDay: z.number().positive().default(5).describe('Maximum cost of a day in US dollars.'),
  pullRequests: z.boolean().default(true).describe('Draft reviews of open pull requests.'),
});
export type WatchSettings = z.infer<typeof WatchSettings>;

function event<T extends string, S extends z.ZodRawShape>(type: T, shape: S) {
  return z.object({ type: z.literal(type), data: z.object(shape) });
}

/** Everything that can happen to the series of rounds that watch a project. */
export const WatchEvent = z.discriminatedUnion('type', [
  event('watch.started', { settings: WatchSettings }),
  event('watch.stopped', { reason: z.string() }),
  event('watch.round-started', { round: z.number().int(), run: RunId, why: WakeReason }),
  event('watch.round-ended', {
    round: z.number().int(),
    run: RunId,
    result: RoundResult,
    head: z.string().nullable(),
    pulls: z.record(z.string(), z.string()).optional(),
    spentUsd: z.number(),
  }),
  event('watch.messaged', { discussion: z.string(), text: z.string() }),
  /** What `watch.messaged` was called before; it is only read. */
  event('watch.said', { discussion: z.string(), text: z.string() }),
  /** A round could not begin; the series tries again later. */
  event('watch.round-failed', { reason: z.string() }),
  event('watch.proposal-decided', {
    proposal: z.string(),
    status: z.enum(['accepted', 'rejected', 'done', 'expired']),
    reason: z.string().optional(),
    run: RunId.optional(),
  }),
  event('watch.review-settled', {
    number: z.number().int(),
    head: z.string(),
    status: z.enum(['posted', 'discarded']),
  }),
]);
export type WatchEvent = z.infer<typeof WatchEvent>;
