import type { Caller } from '../../access/caller.ts';
import { type CurrentActivity, type CurrentStep, currentSteps, stepText, waitText } from '../../core/view/activity.ts';
import { durationText, timeText } from '../../core/view/amounts.ts';
import type { RunOverview } from '../../schema/overview.ts';
import type { World } from '../../world.ts';
import type { Platform } from '../platform.ts';
import { clockText } from '../render/amounts.ts';
import { oneLine } from '../render/clean-text.ts';
import { painter } from '../render/symbols.ts';
import { shorten } from '../render/text-width.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { createLiveArea } from './live-area.ts';

export const NOTHING_NOW: CurrentActivity = { activity: [], waitsFor: null, live: [] };

/** A step is first shown when it has taken this long. */
const FIRST_MS = 2_000;
/** A silence of 5 s is too long; the clock below and a busy machine add to it. */
const AGAIN_MS = 3_500;
const CLOCK_MS = 500;

/** Plain lines about what is done now, for output that is not a terminal. */
export interface StepLines extends Disposable {
  /** Prints lines of something else, after which a step is not repeated at once. */
  print(lines: readonly string[]): void;
  show(current: CurrentActivity): void;
  /** How tasks are named from now on. */
  nameTasks(label: (task: string) => string): void;
}

/** Prints what is done now when it takes long, and again while nothing else is printed. */
export function createStepLines(
  terminal: Pick<Terminal, 'err'>,
  world: World,
  silentSince: number = world.now(),
): StepLines {
  let current = NOTHING_NOW;
  let label = (task: string) => task;
  let printedAt = silentSince;
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
  let cancelAlarm = world.alarm(world.now() + CLOCK_MS, tick);
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
function lineOf(current: CurrentActivity, { now, leastMs, label }: LineView): Line | undefined {
  const { waitsFor } = current;
  if (waitsFor !== null) {
    const text = waitText(waitsFor, now);
    return { about: 'run', what: waitsFor.text, text };
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

/** The statuses of runs that an engine continues. */
const OPEN: ReadonlySet<string> = new Set(['running', 'cancelling']);
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
  const silentSince = world.now();
  const over = new AbortController();
  const { signal } = over;
  let following: Promise<void> | undefined;
  let cancelAlarm = () => {};
  const follow = () => {
    // Until this process is connected to an engine, or is one, there is nothing to follow.
    if (caller.engine() === 'none') cancelAlarm = world.alarm(world.now() + SOON_MS, follow);
    else following = showSteps(platform, caller, { dir, signal, silentSince });
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
  { dir, signal, silentSince }: { dir: string; signal: AbortSignal; silentSince: number },
): Promise<void> {
  using display = startDisplay(platform, silentSince);
  try {
    for await (const { activity } of caller.stream('watch-start', { dir }, { signal }))
      display.show({ ...NOTHING_NOW, activity });
  } catch {
    // Safe: what failed also ends the start, which reports it.
  }
}

/** Shows that something is done which reports no progress of its own, until disposed of. */
export function showStep(
  platform: Pick<Platform, 'terminal' | 'world'>,
  { about, what }: { about: string; what: string },
): Disposable {
  const now = platform.world.now();
  const display = startDisplay(platform, now);
  const step = { tasks: [about], kind: 'waiting' as const, what, detail: null, since: new Date(now).toISOString() };
  display.show({ ...NOTHING_NOW, activity: [step] });
  return display;
}

/** Shows what the engine of this process still does after its command has ended: for its own runs, or for those of other terminals. */
export function showClosing(platform: Pick<Platform, 'terminal' | 'world'>, caller: Caller): AsyncDisposable {
  const over = new AbortController();
  const shown = showRemaining(platform, caller, over.signal);
  return {
    [Symbol.asyncDispose]: () => {
      over.abort();
      return shown;
    },
  };
}

async function showRemaining(
  platform: Pick<Platform, 'terminal' | 'world'>,
  caller: Caller,
  signal: AbortSignal,
): Promise<void> {
  using display = startDisplay(platform, platform.world.now());
  const active = new Map<string, RunOverview>();
  const noted = new Set<string>();
  try {
    for await (const item of caller.stream('watch-runs', {}, { signal })) {
      if ('removed' in item) active.delete(item.removed);
      if (!('run' in item)) continue;
      const { run, status } = item.run;
      active.set(run, item.run);
      const remaining = remainingOf([...active.values()], platform.world.now());
      const isEnding =
        currentSteps(remaining).length === 0 && ![...active.values()].some((each) => OPEN.has(each.status));
      display.show(isEnding ? endingNow(platform.world.now()) : remaining);
      if (!OPEN.has(status) || noted.has(run)) continue;
      noted.add(run);
      platform.terminal.err(`note: This process is also the engine of run ${run}, and ends when that has ended.\n`);
    }
  } catch {
    // Safe: what failed also ends the engine, which reports it.
  }
  if (signal.aborted) return;
  // The engine answers no more, and is still closing its files.
  display.show(endingNow(platform.world.now()));
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

function endingNow(now: number): CurrentActivity {
  const since = new Date(now).toISOString();
  const step = { tasks: ['engine'], kind: 'waiting' as const, what: 'closes its files and ends', detail: null, since };
  return { ...NOTHING_NOW, activity: [step] };
}

/** What is done for several runs, each shown under the id of its run. */
function remainingOf(runs: readonly RunOverview[], now: number): CurrentActivity {
  const waits = runs.flatMap(({ run, waitsFor, updatedAt }) =>
    waitsFor === null
      ? []
      : [{ tasks: [run], kind: 'waiting' as const, what: waitText(waitsFor, now), detail: null, since: updatedAt }],
  );
  const activity = runs.flatMap(({ run, activity: steps }) =>
    steps.map((step) => ({ ...step, tasks: [run], labels: [run] })),
  );
  return {
    activity: [...waits, ...activity],
    waitsFor: null,
    live: runs.flatMap(({ run, live }) => live.map((attempt) => ({ ...attempt, task: run }))),
  };
}

/** One line that is redrawn on a terminal; elsewhere plain lines. */
function startDisplay(
  { terminal, world }: Pick<Platform, 'terminal' | 'world'>,
  silentSince: number,
): Disposable & { show(current: CurrentActivity): void } {
  if (!terminal.isLive) return createStepLines(terminal, world, silentSince);
  let current: CurrentActivity = NOTHING_NOW;
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
