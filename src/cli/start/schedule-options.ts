import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import type { Caller } from '../../access/caller.ts';
import { durationText, momentText } from '../../core/view/amounts.ts';
import { AppError } from '../../errors.ts';
import { Repeat } from '../../schema/job-parts.ts';
import type { Session } from '../platform.ts';
import { wholeNumber } from '../render/amounts.ts';

const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const LONGEST_MS = 366 * 86_400_000;

const FORMS = 'Use 07:30 (the next 07:30 local time), 2026-12-01 07:30, 2026-12-01T07:30:00Z, +2h or "in 20m".';

const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/;

const DATE = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?$/;

const ZONED = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/i;

const SPAN = /^(?:\+|in )\s*(.+)$/i;

/** When and how often a job runs, as commander returns it. */
export const ScheduleFlags = z.object({
  at: z.number().optional(),
  every: z.number().optional(),
  times: z.number().optional(),
});
type ScheduleFlags = z.infer<typeof ScheduleFlags>;

/** Adds the options that schedule a job. */
export function addScheduleOptions(command: Command, { platform }: Session): Command {
  return command
    .option('--at <when>', 'start at a time: 07:30, "2026-12-01 07:30", +2h or "in 20m"', (text) =>
      parseWhen(text, platform.world.now()),
    )
    .option('--every <time>', 'repeat it this long after each success, such as 10m; a failure ends it', parseEvery)
    .option('--times <n>', 'with --every: how many times in total', wholeNumber(1, 100_000));
}

/** The schedule that the flags describe. */
export function scheduleOf({ at, every, times }: ScheduleFlags): { notBefore?: number; repeat?: Repeat } {
  if (times !== undefined && every === undefined) throw new AppError('USAGE', '--times requires --every');
  return {
    ...(at === undefined ? {} : { notBefore: at }),
    ...(every === undefined ? {} : { repeat: { everyMs: every, ...(times === undefined ? {} : { times }) } }),
  };
}

/** Which process starts the job at its time. */
export type Starter = ReturnType<Caller['engine']> | 'background';

/** When the job starts, and which process starts it: this one, a running engine, or a background process. */
export function scheduleText({ at, every, times }: ScheduleFlags, starter: Starter, now: number): string | undefined {
  if (at === undefined && every === undefined) return undefined;
  const start = at === undefined ? 'Starts now' : `Starts at ${momentText(at)} (in ${durationText(at - now)})`;
  const often = times === undefined ? '' : `, ${times} times in total`;
  const again = every === undefined ? '' : `, and again ${durationText(every)} after each success${often}`;
  return `${start}${again}. ${starterText(starter)}`;
}

function starterText(starter: Starter): string {
  switch (starter) {
    case 'other':
      return 'The running engine starts it; this terminal only watches.';
    case 'server':
      return 'The server starts it; this terminal only watches.';
    case 'background':
      return 'A background process is the engine and starts it.';
    case 'own':
    case 'none':
      return 'This terminal is the engine and starts it: keep it open, or use --detach.';
  }
}

function parseEvery(text: string): number {
  const ms = parseSpan(text);
  if (ms !== undefined && Repeat.shape.everyMs.safeParse(ms).success) return ms;
  throw new InvalidArgumentError('Use a duration from 1s to 366d, such as 90s, 10m or 1h30m.');
}

/** Reads a future time as milliseconds since 1970; rejects a time that has passed, is too far away or does not exist. */
export function parseWhen(text: string, now: number): number {
  const at = instantOf(text.trim(), now);
  if (at === undefined || Number.isNaN(at)) throw new InvalidArgumentError(`"${text}" is not a time. ${FORMS}`);
  if (at <= now) throw new InvalidArgumentError(`${momentText(at)} has passed. ${FORMS}`);
  if (at - now > LONGEST_MS) throw new InvalidArgumentError(`${momentText(at)} is more than a year away. ${FORMS}`);
  return at;
}

/** Reads `90s`, `10m`, `1h30m`, `1.5h` or `2d` as milliseconds. */
export function parseSpan(text: string): number | undefined {
  const parts = [...text.replaceAll(/\s+/g, '').matchAll(/(\d+(?:\.\d+)?)([smhd])/gi)];
  if (parts.map(([part]) => part).join('') !== text.replaceAll(/\s+/g, '')) return undefined;
  const ms = parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (UNITS[unit?.toLowerCase() ?? ''] ?? 0), 0);
  return ms > 0 ? Math.round(ms) : undefined;
}

function instantOf(text: string, now: number): number | undefined {
  const span = SPAN.exec(text)?.[1];
  if (span !== undefined) {
    const ms = parseSpan(span);
    return ms === undefined ? undefined : now + ms;
  }
  const clock = CLOCK.exec(text);
  if (clock !== null) return nextClock(numbers(clock.slice(1)), now);
  if (ZONED.test(text)) return zoned(text);
  const date = DATE.exec(text);
  return date === null ? undefined : local(text, numbers(date.slice(1)));
}

function numbers(parts: readonly (string | undefined)[]): number[] {
  return parts.map((part) => Number(part ?? 0));
}

/** The next occurrence of a local time of day; daylight saving may skip or repeat it on a day. */
function nextClock([hour = 0, minute = 0, second = 0]: number[], now: number): number | undefined {
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const today = new Date(now);
  for (let day = 0; day <= 2; day += 1) {
    const wall = [today.getFullYear(), today.getMonth() + 1, today.getDate() + day, hour, minute, second];
    const first = moment(wall);
    const found = [first, first + 3_600_000].find((at) => at > now && shows(at, [hour, minute, second]));
    if (found !== undefined) return found;
  }
  return undefined;
}

function local(text: string, wall: number[]): number | undefined {
  const [, month = 0, day = 0, hour = 0, minute = 0, second = 0] = wall;
  if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return undefined;
  const at = moment(wall);
  if (new Date(at).getDate() !== day) return undefined;
  if (shows(at, [hour, minute, second])) return at;
  throw new InvalidArgumentError(`${text} does not exist in the local time zone because of daylight saving. ${FORMS}`);
}

function zoned(text: string): number | undefined {
  const day = Number(text.slice(8, 10));
  const month = Number(text.slice(5, 7));
  const isDay = day >= 1 && day <= new Date(Date.UTC(Number(text.slice(0, 4)), month, 0)).getUTCDate();
  return isDay ? Date.parse(text.replace(' ', 'T')) : undefined;
}

function moment([year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0]: readonly number[]): number {
  return new Date(year, month - 1, day, hour, minute, second).getTime();
}

function shows(at: number, [hour, minute, second]: readonly number[]): boolean {
  const date = new Date(at);
  return date.getHours() === hour && date.getMinutes() === minute && date.getSeconds() === second;
}
