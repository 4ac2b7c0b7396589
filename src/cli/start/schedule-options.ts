import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import type { Caller } from '../../access/caller.ts';
import { AppError } from '../../errors.ts';
import { Repeat } from '../../schema/job-parts.ts';
import type { Session } from '../platform.ts';
import { durationText, wholeNumber } from '../render/amounts.ts';
import { momentText, parseSpan, parseWhen } from './when.ts';

/** When and how often a job is done, as commander gives it. */
export const ScheduleFlags = z.object({
  at: z.number().optional(),
  every: z.number().optional(),
  times: z.number().optional(),
});
type ScheduleFlags = z.infer<typeof ScheduleFlags>;

/** Adds what says when a job is done. */
export function addScheduleOptions(command: Command, { platform }: Session): Command {
  return command
    .option('--at <when>', 'start at a time: 07:30, "2026-12-01 07:30", +2h or "in 20m"', (text) =>
      parseWhen(text, platform.world.now()),
    )
    .option('--every <time>', 'do it again so long after each success, for example 10m; a failure ends it', parseEvery)
    .option('--times <n>', 'with --every: how often in all', wholeNumber(1, 100_000));
}

/** What the flags ask of a job. */
export function scheduleOf({ at, every, times }: ScheduleFlags): { notBefore?: number; repeat?: Repeat } {
  if (times !== undefined && every === undefined)
    throw new AppError('USAGE', '--times says how often --every repeats; give --every too');
  return {
    ...(at === undefined ? {} : { notBefore: at }),
    ...(every === undefined ? {} : { repeat: { everyMs: every, ...(times === undefined ? {} : { times }) } }),
  };
}

/** Who keeps the time of what is to start later. */
export type Keeper = ReturnType<Caller['engine']> | 'background';

/** Says when it starts, and who keeps the time: this terminal, an engine that runs already, or a process in the background. */
export function scheduleText({ at, every, times }: ScheduleFlags, keeper: Keeper, now: number): string | undefined {
  if (at === undefined && every === undefined) return undefined;
  const start = at === undefined ? 'Starts now' : `Starts at ${momentText(at)} (in ${durationText(at - now)})`;
  const often = times === undefined ? '' : `, ${times} times in all`;
  const again = every === undefined ? '' : `, and again ${durationText(every)} after each success${often}`;
  return `${start}${again}. ${keeperText(keeper)}`;
}

function keeperText(keeper: Keeper): string {
  switch (keeper) {
    case 'other':
      return 'The engine that runs already keeps the time: this terminal only watches.';
    case 'background':
      return 'A process in the background is the engine and keeps the time.';
    case 'own':
    case 'none':
      return 'This terminal is the engine and keeps the time: leave it open, or use --detach.';
  }
}

function parseEvery(text: string): number {
  const ms = parseSpan(text);
  if (ms !== undefined && Repeat.shape.everyMs.safeParse(ms).success) return ms;
  throw new InvalidArgumentError('Give a time from 1s to 366d, such as 90s, 10m or 1h30m.');
}
