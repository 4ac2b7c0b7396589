import type { Caller } from '../../access/caller.ts';
import { type CurrentStep, currentSteps, type RunNow, stepText, waitText } from '../../core/view/activity.ts';
import { timeText } from '../../core/view/amounts.ts';
import type { World } from '../../world.ts';
import type { Platform } from '../platform.ts';
import { clockText, durationText } from '../render/amounts.ts';
import { oneLine } from '../render/clean-text.ts';
import { painter } from '../render/symbols.ts';
import { shorten } from '../render/text-width.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { createLiveArea } from './live-area.ts';

export const NOTHING_NOW: RunNow = { activity: [], waitsFor: null, live: [] };

/** A step is first shown when it has taken this long. */
const FIRST_MS = 2_000;
/** A silence of 5 s is too long; the clock below adds up to one second. */
const AGAIN_MS = 4_000;
const CLOCK_MS = 1_000;

/** Plain lines about what is done now, for output that is not a terminal. */
export interface StepLines extends Disposable {
  /** Prints lines of something else, after which a step is not repeated at once. */
  print(lines: readonly string[]): void;
  show(current: RunNow): void;
  /** How tasks are named from now on. */
  nameTasks(label: (task: string) => string): void;
}

/** Prints what is done now when it takes long, and again while nothing else is printed. */
export function createStepLines(terminal: Pick<Terminal, 'err'>, world: World): StepLines {
  let current = NOTHING_NOW;
  let label = (task: string) => task;
  let printedAt = world.now();
  let printed = '';
  const tick = () => {
    const now = world.now();
    const silentMs = now - printedAt;
    const line = lineOf(current, { now, label, leastMs: silentMs >= AGAIN_MS ? 0 : FIRST_MS });
    if (line !== undefined && silentMs >= (line.what === printed ? AGAIN_MS : FIRST_MS)) {
      terminal.err(`${timeText(now)}  ${line.about}  ${oneLine(line.text)}\n`);
      printed = line.what;
      printedAt = now;
    }
    cancelAlarm = world.alarm(now + CLOCK_MS, tick);
  };
  let cancelAlarm = world.alarm(printedAt + CLOCK_MS, tick);
  return {
    print: (lines) => {
      if (lines.length === 0) return;
      for (const line of lines) terminal.err(`${line}\n`);
      printedAt = world.now();
      printed = '';
    },
    show: (next) => {
      current = next;
    },
    nameTasks: (next) => {
      label = next;
    },
    [Symbol.dispose]: () => cancelAlarm(),
  };
}

type LineView = { now: number; leastMs: number; label: (task: string) => string };
type Line = { about: string; what: string; text: string };

/** What the run waits for, else the newest step that has taken so long already, with the number of the others. */
function lineOf(current: RunNow, { now, leastMs, label }: LineView): Line | undefined {
  const { waitsFor } = current;
  if (waitsFor !== null) {
    const text = waitText(waitsFor, now);
    return { about: 'run', what: text, text };
  }
  const steps = currentSteps(current, label).filter(({ since }) => now - since >= leastMs);
  const step = steps.toSorted((a, b) => b.since - a.since)[0];
  if (step === undefined) return undefined;
  const more = steps.length === 1 ? '' : ` [and ${steps.length - 1} more]`;
  return { about: step.about, what: nameOf(step), text: `${stepText(step, now, durationText)}${more}` };
}

function nameOf({ about, what }: CurrentStep): string {
  return `${about} ${what}`;
}

/** A start that answers soon is not followed. */
const SOON_MS = 1_000;

type Start<T> = {
  /** The folder in which the run is started. */
  dir: string;
  begin(): Promise<T>;
};

/** Starts a run; what is done until it exists is shown, where that takes long. */
export async function showStart<T>(platform: Platform, caller: Caller, { dir, begin }: Start<T>): Promise<T> {
  const { world } = platform;
  const over = new AbortController();
  const { signal } = over;
  let following: Promise<void> | undefined;
  let cancelAlarm = () => {};
  const follow = () => {
    // Until this process is connected to an engine, or is one, there is nothing to follow.
    if (caller.engine() === 'none') cancelAlarm = world.alarm(world.now() + SOON_MS, follow);
    else following = showSteps(platform, caller, { dir, signal });
  };
  cancelAlarm = world.alarm(world.now() + SOON_MS, follow);
  try {
    return await begin();
  } finally {
    cancelAlarm();
    over.abort();
    await following;
  }
}

async function showSteps(
  platform: Platform,
  caller: Caller,
  { dir, signal }: { dir: string; signal: AbortSignal },
): Promise<void> {
  using display = startDisplay(platform);
  try {
    for await (const { activity } of caller.stream('watch-start', { dir }, { signal }))
      display.show({ ...NOTHING_NOW, activity });
  } catch {
    // Safe: what failed also ends the start, which reports it.
  }
}

/** One line that is redrawn on a terminal; elsewhere plain lines. */
function startDisplay({ terminal, world }: Platform): Disposable & { show(current: RunNow): void } {
  if (!terminal.isLive) return createStepLines(terminal, world);
  let current: RunNow = NOTHING_NOW;
  const colors = painter(terminal.colors.err);
  const area = createLiveArea(terminal, world, ({ columns }) =>
    currentSteps(current)
      .slice(-1)
      .map((step) => colors.cyan(shorten(`… ${stepText(step, world.now(), clockText)}`, columns - 1))),
  );
  return {
    show: (next) => {
      current = next;
      area.change();
    },
    [Symbol.dispose]: () => area[Symbol.dispose](),
  };
}
