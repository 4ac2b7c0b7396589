import type { Caller } from '../../access/caller.ts';
import { evolve } from '../../core/run/evolve.ts';
import type { RunState } from '../../core/run/state.ts';
import type { CurrentActivity } from '../../core/view/activity.ts';
import { durationText, moneyText, timeText } from '../../core/view/amounts.ts';
import { isSettled, runDocument } from '../../core/view/document.ts';
import { type AmountFormat, type Fact, factsOf } from '../../core/view/facts.ts';
import { labelOf } from '../../core/view/task-label.ts';
import { AppError } from '../../errors.ts';
import type { RunDocument } from '../../schema/document.ts';
import { RunEvent } from '../../schema/event.ts';
import type { World } from '../../world.ts';
import type { Platform } from '../platform.ts';
import { cleanText, oneLine } from '../render/clean-text.ts';
import { progressLines } from '../render/progress.ts';
import { painter } from '../render/symbols.ts';
import { wrap } from '../render/text-width.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type Interruption, listenForInterrupts } from './interrupts.ts';
import { createLiveArea } from './live-area.ts';
import { createStepLines, NOTHING_NOW } from './show-steps.ts';

const FORMAT: AmountFormat = { duration: durationText, money: moneyText };

/** Shows the progress of a run. */
interface Display extends Disposable {
  /** Whether it shows the output of the agents. */
  readonly showsOutput: boolean;
  show(state: RunState, recorded: { event: RunEvent; at: number }): void;
  showOutput(task: string, text: string): void;
  /** Shows what is done now and what the run waits for, until the next call. */
  showCurrent(current: CurrentActivity): void;
  /** Shows a message below the progress until the next one. */
  note(text: string): void;
}

export type FollowOptions = {
  platform: Platform;
  caller: Caller;
  dir: string;
  run: string;
  /** Events before this time are not printed again. */
  since: number;
  /** Whether this process becomes the engine when the engine of the run ends. */
  takesOver: boolean;
};

/** How following ended: the run needs no engine any more, or the user interrupted it. */
export type Followed =
  | { kind: 'settled'; document: RunDocument }
  | { kind: 'interrupted'; how: Interruption; document: RunDocument | undefined };

const SHOWN_KINDS = new Set(['text', 'tool-call']);
const MOVING: ReadonlySet<string> = new Set(['running', 'needs-rerun', 'cancelling']);

/** Shows a run live until it is settled; its events are folded here as in the engine. */
export async function followRun(options: FollowOptions): Promise<Followed> {
  const { platform, caller, dir, run } = options;
  using display = createDisplay(platform.terminal, platform.world, options.since);
  let state: RunState | undefined;
  await using interrupts = listenForInterrupts({
    platform,
    caller,
    report: display.note,
    inFlight: () => (state === undefined ? [] : Object.keys(state.running)),
  });
  for (;;) {
    for await (state of watch(options, display, { state, signal: interrupts.signal })) {
      const document = isSettled(state) ? await currentDocument(options, state) : undefined;
      if (document !== undefined) return { kind: 'settled', document };
    }
    const how = interrupts.how();
    if (how !== undefined)
      return { kind: 'interrupted', how, document: state === undefined ? undefined : runDocument(state) };
    const document = await caller.call('show-run', { dir, run });
    if (!MOVING.has(document.status)) return { kind: 'settled', document };
    if (!options.takesOver) throw new AppError('ENGINE_GONE', `The engine of run ${run} has ended`, { run });
    display.note('The engine has ended; this terminal continues as the engine.');
    await caller.call('resume-runs', { dir, run });
  }
}

type Watching = { state: RunState | undefined; signal: AbortSignal };

/** The state of the run after each new event, until the signal aborts or the engine ends. */
async function* watch(options: FollowOptions, display: Display, watching: Watching): AsyncGenerator<RunState> {
  const over = new AbortController();
  const signal = AbortSignal.any([watching.signal, over.signal]);
  const output = display.showsOutput ? showAgentOutput(options, display, signal) : undefined;
  const current = showCurrent(options, display, signal);
  let { state } = watching;
  try {
    const after = state?.version ?? 0;
    for await (const { type, data, at, origin } of options.caller.stream(
      'watch-run',
      { run: options.run, after },
      { signal },
    )) {
      const event = RunEvent.parse({ type, data });
      state = evolve(state, { event, at, origin });
      display.show(state, { event, at });
      yield state;
    }
  } catch (error) {
    const isGone = error instanceof AppError && error.code === 'ENGINE_GONE';
    if (!signal.aborted && !isGone) throw error;
  } finally {
    over.abort();
    await output;
    await current;
  }
}

/**
 * The document of a settled run, if its state is the current one: history is replayed first, and in it the run may have
 * been settled and continued.
 */
async function currentDocument({ caller, dir, run }: FollowOptions, state: RunState): Promise<RunDocument | undefined> {
  const current = await caller.call('show-run', { dir, run });
  const document = runDocument(state);
  if (fingerprint(current) !== fingerprint(document)) return undefined;
  const { nodes, progress, result, tasks, landingEvidence } = current;
  return {
    ...document,
    tasks,
    ...(landingEvidence === undefined ? {} : { landingEvidence }),
    ...(nodes === undefined ? {} : { nodes }),
    ...(progress === undefined ? {} : { progress }),
    ...(result === undefined ? {} : { result }),
  };
}

function fingerprint({ status, endedAt, landed, commit, tasks }: RunDocument): string {
  const statuses = tasks.map(({ key, status: task, attempts }) => [key, task, attempts]);
  return JSON.stringify([status, endedAt, landed?.commit ?? null, commit, statuses]);
}

/** Shows what is done now and what the run waits for, which no event records. */
async function showCurrent({ caller, run }: FollowOptions, display: Display, signal: AbortSignal): Promise<void> {
  try {
    for await (const item of caller.stream('watch-runs', { run }, { signal }))
      if ('run' in item) display.showCurrent(item.run);
  } catch {
    // Safe: it is optional here, and what failed also ends the stream of events.
  } finally {
    display.showCurrent(NOTHING_NOW);
  }
}

async function showAgentOutput(
  { caller, dir, run }: FollowOptions,
  display: Display,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const line of caller.stream('read-logs', { dir, run, follow: true }, { signal })) {
      if (SHOWN_KINDS.has(line.kind)) display.showOutput(line.task, line.text);
    }
  } catch (error) {
    // The output of the agents is optional here: losing it must not end the command.
    const isGone = error instanceof AppError && error.code === 'ENGINE_GONE';
    if (!signal.aborted && !isGone) display.note(`The output of the agents cannot be shown: ${String(error)}`);
  }
}

/** Progress drawn in place on a terminal, below the checks that failed after `since`; elsewhere plain lines for events after it. */
function createDisplay(terminal: Terminal, world: World, since: number): Display {
  return terminal.isLive ? liveDisplay(terminal, world, since) : plainDisplay(terminal, world, since);
}

function plainDisplay(terminal: Terminal, world: World, since: number): Display {
  const steps = createStepLines(terminal, world);
  return {
    showsOutput: false,
    show: (state, recorded) => {
      steps.nameTasks((task) => labelOf(state, task));
      if (recorded.at < since) return;
      steps.print(factLines(state, recorded));
    },
    showOutput: () => {},
    showCurrent: steps.show,
    note: (text) => steps.print([text]),
    [Symbol.dispose]: () => steps[Symbol.dispose](),
  };
}

function liveDisplay(terminal: Terminal, world: World, since: number): Display {
  const colors = painter(terminal.colors.err);
  const lastOutput = new Map<string, string>();
  let current: RunState | undefined;
  let message = '';
  let now: CurrentActivity = NOTHING_NOW;
  const area = createLiveArea(terminal, world, ({ columns, rows }) => {
    const footer = wrap(message, columns - 1).map(colors.yellow);
    if (current === undefined) return footer;
    const view = { columns, rows: rows - footer.length, now: world.now(), lastOutput, colors, current: now };
    return [...progressLines(current, view), ...footer];
  });
  return {
    showsOutput: true,
    show: (state, recorded) => {
      current = state;
      if (recorded.at >= since) area.print(failedCheckLines(state, recorded));
      area.change();
    },
    showOutput: (task, text) => {
      lastOutput.set(task, text);
      area.change();
    },
    showCurrent: (next) => {
      now = next;
      area.change();
    },
    note: (text) => {
      message = text;
      area.change();
    },
    [Symbol.dispose]: () => area[Symbol.dispose](),
  };
}

/** What happened, as plain lines for grep: `time  subject  fact`, one per fact, always worded the same. */
export function factLines(state: RunState, recorded: { event: RunEvent; at: number }): string[] {
  return factsOf(state, recorded, FORMAT).flatMap((fact) => linesOf(fact, recorded.at));
}

/** The lines of checks that did not pass, and no others. */
function failedCheckLines(state: RunState, recorded: { event: RunEvent; at: number }): string[] {
  return factsOf(state, recorded, FORMAT)
    .filter(({ details }) => details !== undefined)
    .flatMap((fact) => linesOf(fact, recorded.at));
}

function linesOf({ about, fact, details = [] }: Fact, at: number): string[] {
  return [`${timeText(at)}  ${about}  ${oneLine(fact)}`, ...details.map((line) => `    ${cleanText(line)}`)];
}
