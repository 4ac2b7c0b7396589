import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import type { Session } from '../platform.ts';
import { parseWhen } from './schedule-options.ts';

const HOUR_MS = 3_600_000;
const MOST_HOURS = 24 * 366;

/** When a run stops, as commander returns it: both are times in milliseconds since 1970. */
export const DeadlineFlags = z.object({ until: z.number().optional(), maxHours: z.number().optional() });
type DeadlineFlags = z.infer<typeof DeadlineFlags>;

/** Adds the options of DeadlineFlags; `what` is what stops then. */
export function addDeadlineOptions(command: Command, { platform }: Session, what = 'the run'): Command {
  return command
    .option('--until <when>', `stop ${what} at a time: 07:00, "2026-12-01 07:00" or +2h`, (text) =>
      parseWhen(text, platform.world.now()),
    )
    .option('--max-hours <n>', `stop ${what} after this many hours`, (text) => parseHours(text, platform.world.now()));
}

/** The earlier of the two times; undefined without a deadline. */
export function deadlineOf({ until, maxHours }: DeadlineFlags): number | undefined {
  return until === undefined || maxHours === undefined ? (until ?? maxHours) : Math.min(until, maxHours);
}

function parseHours(text: string, now: number): number {
  const hours = /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : 0;
  if (hours > 0 && hours <= MOST_HOURS) return now + Math.round(hours * HOUR_MS);
  throw new InvalidArgumentError('Use a number of hours, such as 8 or 0.5.');
}
