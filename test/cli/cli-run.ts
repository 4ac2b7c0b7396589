import { tmpdir } from 'node:os';
import type { Caller } from '../../src/access/caller.ts';
import { openCaller } from '../../src/access/open-caller.ts';
import type { Platform, StopSignal } from '../../src/cli/platform.ts';
import { runProgram } from '../../src/cli/program.ts';
import type { Questions } from '../../src/cli/terminal/terminal-prompts.ts';
import { evolve } from '../../src/core/run/evolve.ts';
import type { RunState } from '../../src/core/run/state.ts';
import { runDocument } from '../../src/core/view/document.ts';
import { OPERATIONS, type OperationName, STREAMS, type StreamName } from '../../src/operations/all.ts';
import type { RunDocument } from '../../src/schema/document.ts';
import type { RunEvent, ShownEvent } from '../../src/schema/event.ts';
import { T0 } from '../support/given.ts';
import { fakeWorld } from './test-platform.ts';

type Call = { name: string; input: unknown };

/** The results of the fake caller; calling an operation without one fails the test. */
export type Script = {
  answers?: Partial<Record<OperationName, unknown>>;
  streams?: Partial<Record<StreamName, (signal: AbortSignal) => AsyncIterable<unknown>>>;
  engine?: 'own' | 'other' | 'none';
  drain?: () => Promise<void>;
  leave?: () => Promise<void>;
  ending?: AbortSignal;
  stop?: () => Promise<void>;
  announced?: string;
  stdin?: string;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Calls the real operations on the data directory of `env` instead of scripted answers. */
  isReal?: boolean;
  isLive?: boolean;
  /** The user's answer to a confirmation; undefined means that there is no terminal. */
  confirms?: boolean;
  questions?: Questions;
  answer?: string;
  columns?: number;
};

export type ProgramResult = {
  code: number;
  stdout: string;
  stderr: string;
  calls: Call[];
  detached: string[][];
  announcements: string[];
};

/** The program in a test: the real parser and commands, a fake caller, captured streams. */
export function testProgram(script: Script = {}) {
  let stdout = '';
  let stderr = '';
  const calls: Call[] = [];
  const detached: string[][] = [];
  const announcements: string[] = [];
  const listeners = new Set<(signal: StopSignal) => void>();
  const platform: Platform = {
    terminal: {
      env: script.env ?? {},
      cwd: script.cwd ?? tmpdir(),
      isLive: script.isLive ?? false,
      isOutputTerminal: false,
      colors: { out: false, err: false },
      outputClosed: new AbortController().signal,
      size: () => ({ columns: script.columns ?? 80, rows: 24 }),
      out: (text) => {
        stdout += text;
      },
      err: (text) => {
        stderr += text;
      },
      readInput: async () => script.stdin ?? '',
      onResize: () => () => {},
    },
    world: fakeWorld(T0),
    version: '1.2.3',
    openCaller: async (callerEnv) => (script.isReal ? openCaller({ env: callerEnv }) : fakeCaller(script, calls)),
    onSignal: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    detach: async (args) => {
      detached.push([...args]);
      return script.announced ?? '';
    },
    announce: (text) => announcements.push(text),
    confirm: async () => script.confirms,
    questions: async () => script.questions,
    ask: async () => script.answer,
    askSecret: async () => script.answer,
    openServer: async () => {
      throw new Error('no server in this test');
    },
    findServer: async () => undefined,
    isServedWithRuns: async () => false,
    takeToken: async () => {
      throw new Error('no token in this test');
    },
    watchForEngine: async () => () => {},
    waitForVacancy: async () => {},
    takeScreen: () => undefined,
    reveal: async () => {},
    openWindow: async () => false,
    edit: async () => {},
    makeScratchRepository: async () => {
      throw new Error('no scratch repository in this test');
    },
  };
  return {
    platform,
    signal: (name: StopSignal) => {
      for (const listener of [...listeners]) listener(name);
    },
    async run(...argv: string[]): Promise<ProgramResult> {
      const code = await runProgram(argv, platform);
      return { code, stdout, stderr, calls, detached, announcements };
    },
  };
}

/** The events of a run as a door shows them. */
export function shown(events: readonly RunEvent[], at: number = T0): ShownEvent[] {
  return events.map((event, index) => ({ version: index + 1, at: at + index, type: event.type, data: event.data }));
}

export function documentOf(events: readonly ShownEvent[]): RunDocument {
  let state: RunState | undefined;
  for (const { type, data, at } of events)
    state = evolve(state, { event: trusted<RunEvent>({ type, data: structuredClone(data) }), at });
  if (state === undefined) throw new Error('a run needs an event');
  return runDocument(state);
}

/** Yields the items, then stays open until the signal aborts. */
export function open(items: readonly unknown[]): (signal: AbortSignal) => AsyncIterable<unknown> {
  return async function* (signal) {
    yield* structuredClone(items);
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  };
}

function fakeCaller(script: Script, calls: Call[]): Caller {
  return {
    engine: () => script.engine ?? 'own',
    call: async (name, input) => {
      calls.push({ name, input: OPERATIONS[name].input.parse(input) });
      const answer = script.answers?.[name];
      if (answer === undefined) throw new Error(`the fake caller has no answer to ${name}`);
      return trusted(typeof answer === 'function' ? answer() : answer);
    },
    async *stream(name, input, { signal = new AbortController().signal } = {}) {
      calls.push({ name, input: STREAMS[name].input.parse(input) });
      for await (const item of script.streams?.[name]?.(signal) ?? []) yield trusted(item);
    },
    batches: () => {
      throw new Error('commands ask for items');
    },
    drain: async () => script.drain?.(),
    stop: async () => script.stop?.(),
    leave: async () => script.leave?.(),
    ending: script.ending ?? new AbortController().signal,
    [Symbol.asyncDispose]: async () => {},
  };
}

function trusted<T>(value: unknown): T;
function trusted(value: unknown): unknown {
  return value;
}
