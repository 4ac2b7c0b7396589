import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Agent, AgentEvent, AgentExit, AgentReader, AgentResult, Assignment } from '../../src/agents/agent.ts';
import { Watchdog } from '../../src/engine/attempt/watchdog.ts';
import { ending, launch } from '../../src/process/launch.ts';
import { lineReader } from '../../src/process/lines.ts';
import { type Tail, tail } from '../../src/process/tail.ts';
import { sweep, type Target, terminate } from '../../src/process/terminate.ts';
import { HealthThresholds } from '../../src/schema/config/health.ts';
import type { Failure } from '../../src/schema/failure.ts';
import { realWorld } from '../../src/world.ts';
import { PLAIN_SETTINGS } from '../contracts/attempt.ts';
import type { Sandbox } from './sandbox.ts';

type OutputFile = 'stdout' | 'stderr';

/** What came of a real attempt. */
export interface AgentRun {
  events: AgentEvent[];
  lines: { file: OutputFile; text: string }[];
  result: AgentResult;
  exit: AgentExit;
  /** Why the watchdog stopped it, if it did. */
  stopped?: Failure;
  /** How many processes were left when the program had ended; they are gone now. */
  leftBehind: number;
}

/** What a test does while the agent works: `target` is what it needs to signal or to terminate. */
export interface RunHooks {
  onStarted?: (target: Target) => void;
  onEvent?: (event: AgentEvent, target: Target) => void;
  /** How long it may be silent from some moment on: how long a start takes is the machine's affair. */
  silence?: { from: Promise<unknown>; inactivityMs: number };
}

const MAX_LINE_BYTES = 1024 * 1024;
const GRACE_MS = 1_000;
/** A start alone may take a minute on a machine with ten times too much to do. */
const LIMITS = { inactivityMs: 120_000, runtimeMs: 180_000, outputBytes: 10_000_000 } as const;

/** An assignment in a workplace, with its prompt written. */
export async function makeRealAssignment(
  sandbox: Sandbox,
  prompt: string,
  more: Partial<Assignment> = {},
): Promise<Assignment> {
  const number = more.number ?? 1;
  const folder = join(sandbox.root, `attempt-${number}`);
  const promptFile = join(folder, 'prompt.md');
  await mkdir(folder);
  await writeFile(promptFile, prompt);
  return {
    attempt: `abcdefgh-1-${number}`,
    run: 'abcdefgh',
    task: 'implement/1',
    role: 'implement',
    number,
    access: 'write',
    workspace: sandbox.workspace,
    folder,
    promptFile,
    limits: LIMITS,
    settings: PLAIN_SETTINGS,
    env: sandbox.env,
    ...more,
  };
}

/** Runs an agent's program under the shim, held to its limits by the watchdog, and reads its output as the engine does. */
export async function runAgent(agent: Agent, assignment: Assignment, hooks: RunHooks = {}): Promise<AgentRun> {
  const target = await startAgent(agent, assignment);
  try {
    hooks.onStarted?.(target);
    return await superviseAgent(agent.reader(assignment), target, { assignment, hooks });
  } finally {
    await sweep(target);
  }
}

async function startAgent(agent: Agent, assignment: Assignment): Promise<Target> {
  const { command, env, stdin, pipeOutput } = await agent.command(assignment);
  const token = realWorld.token();
  const { folder, workspace: cwd } = assignment;
  const launched = await launch({
    folder,
    command,
    cwd,
    env: { ...env, MANYHANDS_TOKEN: token },
    token,
    pipeOutput,
    ...(stdin === undefined ? {} : { stdin }),
  });
  launched.go();
  return { identity: launched.identity, folder, token };
}

type Supervising = { assignment: Assignment; hooks: RunHooks };

async function superviseAgent(
  reader: AgentReader,
  target: Target,
  { assignment, hooks }: Supervising,
): Promise<AgentRun> {
  const reading = new AbortController();
  let stopping: Promise<void> = Promise.resolve();
  let stopped: Failure | undefined;
  const watch = (limits: Assignment['limits']) =>
    new Watchdog({
      limits,
      reservation: { costUsd: 0, tokens: 0, turns: 0 },
      startedAt: realWorld.now(),
      world: realWorld,
      thresholds: HealthThresholds.parse({}),
      warn: () => {},
      stop: (failure) => {
        stopped = failure;
        stopping = terminate(target, { graceMs: GRACE_MS });
      },
    });
  let watchdog = watch(assignment.limits);
  let isOver = false;
  void hooks.silence?.from.then(() => {
    if (isOver) return;
    watchdog.close();
    watchdog = watch({ ...assignment.limits, inactivityMs: hooks.silence?.inactivityMs ?? 0 });
  });
  const output = followOutput(reader, target, {
    signal: reading.signal,
    onRead: (bytes) => watchdog.recordActivity(bytes, reader.usage()),
    onEvent: (event) => hooks.onEvent?.(event, target),
  });
  try {
    const exit = await ending(target.folder, target.identity);
    await stopping;
    const leftBehind = await sweep(target);
    await output.finish();
    const { events, lines } = output;
    const run = { events, lines, result: reader.end(exit), exit, leftBehind };
    return stopped === undefined ? run : { ...run, stopped };
  } finally {
    isOver = true;
    watchdog.close();
    reading.abort();
  }
}

type Following = {
  signal: AbortSignal;
  onRead: (bytes: number) => void;
  onEvent: (event: AgentEvent) => void;
};

function followOutput(reader: AgentReader, { folder }: Target, { signal, onRead, onEvent }: Following) {
  const events: AgentEvent[] = [];
  const lines: AgentRun['lines'] = [];
  let bytes = 0;
  const readChunk = (file: OutputFile, text: string) => {
    lines.push({ file, text });
    for (const event of reader.line(file, text)) {
      events.push(event);
      onEvent(event);
    }
  };
  const follow = (file: OutputFile): { tail: Tail; flush: () => void } => {
    const cut = lineReader({ maxLineBytes: MAX_LINE_BYTES });
    const onChunk = (chunk: Buffer) => {
      bytes += chunk.length;
      for (const { text } of cut.push(chunk)) readChunk(file, text);
      onRead(bytes);
    };
    const onTruncated = () => {
      throw new Error(`${file} was truncated`);
    };
    return {
      tail: tail({ file: join(folder, file), from: 0, onChunk, onTruncated, signal }),
      flush: () => {
        for (const { text } of cut.flush()) readChunk(file, text);
      },
    };
  };
  const files = [follow('stdout'), follow('stderr')];
  const finish = async () => {
    for (const file of files) await file.tail.drained();
    for (const file of files) file.flush();
  };
  return { events, lines, finish };
}
