import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import type { Caller } from '../../access/caller.ts';
import { momentText } from '../../core/view/amounts.ts';
import { AppError } from '../../errors.ts';
import { Repeat } from '../../schema/job-parts.ts';
import type { Session } from '../platform.ts';
import { durationText, wholeNumber } from '../render/amounts.ts';
import { parseSpan, parseWhen } from './when.ts';

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
