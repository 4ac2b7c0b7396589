import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { errorCode } from '../errors.ts';
import { crashpoint, realWorld } from '../world.ts';
import { identify, liveness } from './identity.ts';
import { PERL, SPAWN_HELPER_PROGRAM } from './spawn-helper-program.ts';

/** Receives the output of a program as it comes. */
export type OutputListeners = { stdout: (chunk: Buffer) => void; stderr: (chunk: Buffer) => void };

export type ProgramEnd = { code: number | null; signal: string | null };

/** A program that was started, by this process or by its spawn helper. */
export interface Program {
  /** Signals its whole process group. */
  signal(name: NodeJS.Signals): void;
  /** Reads no more of its output. */
  drop(): void;
  onExit(listener: () => void): void;
  /** When it and its output have ended; rejects with the system's error where it could not be started. */
  readonly closed: Promise<ProgramEnd>;
}

export type ProgramRequest = {
  command: readonly string[];
  cwd?: string | undefined;
  env: Record<string, string>;
  input?: string | Buffer | undefined;
};

/** It is not known how the program ended, or whether it ran; it is certain that it does not run any more. */
export class ProgramLost extends Error {}

type Job = {
  pid: number | undefined;
  pending: NodeJS.Signals | undefined;
  end: ProgramEnd | undefined;
  output: OutputListeners;
  onExit: () => void;
  cancelAlarm: () => void;
  closed: PromiseWithResolvers<ProgramEnd>;
};

/** Its start costs as much as some dozen programs: it is for processes that start many. */
const WORTH_IT = 24;
/** More would not fit into the set of descriptors that it waits for. */
const MAX_JOBS = 200;
/** What a socket takes at once, so that the helper never waits for a program to read its input. */
const MAX_INPUT_BYTES = 32 * 1024;
/** A helper that died this often before a program of it had ended is not started again. */
const MAX_DEATHS = 3;
const HEADER_BYTES = 9;
/** How soon it must report the end of a killed program; one that does not is stopped itself. */
const REPORT_MS = 5_000;
const POLL_MS = 10;
/** How a program ends that could not be executed. */
const NOT_EXECUTED = 'SIGUSR2';

/**
 * A small process that starts programs for this one, because a fork of a large process copies its page tables. It ends
 * with this process, however that ends; what it started continues, as a child of this process would. When it dies, its
 * programs are awaited and reported as lost, and the next request starts another one.
 */
export class SpawnHelper {
  readonly #program: string;
  readonly #jobs = new Map<number, Job>();
  #left: number;
  #deaths = 0;
  #lastId = 0;
  #child: ChildProcess | undefined;
  readonly #end = () => {
    const child = this.#child;
    child?.ref();
    child?.stdin?.end();
    child?.once(
      'close',
      realWorld.alarm(realWorld.now() + REPORT_MS, () => child.kill('SIGKILL')),
    );
  };
  #received: Buffer = Buffer.alloc(0);

  constructor({ after = WORTH_IT, program = PERL }: { after?: number; program?: string } = {}) {
    this.#left = after;
    this.#program = program;
  }

  /** The process of the helper, while there is one. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Starts a program; undefined where this process should start it itself. */
  start(request: ProgramRequest, output: OutputListeners): Program | undefined {
    if (this.#left > 0) {
      this.#left -= 1;
      return undefined;
    }
    const frame = this.#jobs.size < MAX_JOBS ? encode(this.#lastId + 1, request) : undefined;
    const helper = frame === undefined ? undefined : (this.#child ?? this.#begin());
    if (frame === undefined || helper === undefined) return undefined;
    this.#lastId += 1;
    const id = this.#lastId;
    const none = () => {};
    const closed = Promise.withResolvers<ProgramEnd>();
    const job: Job = {
      pid: undefined,
      pending: undefined,
      end: undefined,
      output,
      onExit: none,
      cancelAlarm: none,
      closed,
    };
    this.#jobs.set(id, job);
    keepAlive(helper, true);
    helper.stdin?.write(frame);
    return {
      signal: (name) => this.#signal(job, name),
      drop: () => void this.#child?.stdin?.write(framed(Buffer.concat([Buffer.from('d'), uint32(id)]))),
      onExit: (listener) => {
        job.onExit = listener;
      },
      closed: closed.promise,
    };
  }

  #begin(): ChildProcess | undefined {
    if (this.#deaths >= MAX_DEATHS || !existsSync(this.#program)) return undefined;
    crashpoint('helper.starting');
    const child = spawn(this.#program, ['-e', SPAWN_HELPER_PROGRAM], {
      cwd: '/',
      env: {},
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#child = child;
    this.#received = Buffer.alloc(0);
    // Its death is noticed by the end of its output.
    child.stdin?.on('error', () => {});
    child.stdout?.on('data', (chunk: Buffer) => this.#receive(chunk));
    child.on('error', () => this.#lose(child));
    child.on('close', () => this.#lose(child));
    keepAlive(child, false);
    // Its own end and the time that its programs took are this process's to report.
    process.once('beforeExit', this.#end);
    crashpoint('helper.started');
    return child;
  }

  /** Only whole frames count: a part of one at its death is dropped. */
  #receive(chunk: Buffer): void {
    const received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    let at = 0;
    while (received.length - at >= HEADER_BYTES) {
      const end = at + HEADER_BYTES + received.readUInt32BE(at + 5);
      if (received.length < end) break;
      const kind = String.fromCharCode(received[at] ?? 0);
      this.#apply(received.readUInt32BE(at + 1), kind, received.subarray(at + HEADER_BYTES, end));
      at = end;
    }
    this.#received = received.subarray(at);
  }

  #apply(id: number, kind: string, body: Buffer): void {
    const job = this.#jobs.get(id);
    if (job === undefined) return;
    switch (kind) {
      case 's':
        job.pid = Number(body.toString());
        if (job.pending !== undefined) this.#signal(job, job.pending);
        return;
      case 'o':
        job.output.stdout(body);
        return;
      case 'e':
        job.output.stderr(body);
        return;
      case 'x':
        job.end = endOf(Number(body.toString()));
        this.#deaths = 0;
        job.onExit();
        return;
      // The output has ended: of the two, the exit code or the end of the output, this may come first.
      case 'c':
        this.#settleWhenExited(id, job);
        return;
      case 'f':
        this.#settle(id, () => job.closed.reject(new ProgramLost('it could not be forked')));
        return;
    }
  }

  #settleWhenExited(id: number, job: Job): void {
    const settle = () =>
      this.#settle(id, () => {
        if (job.end === undefined || job.end.signal === NOT_EXECUTED)
          job.closed.reject(new ProgramLost('not executed'));
        else job.closed.resolve(job.end);
      });
    const { onExit } = job;
    if (job.end !== undefined) settle();
    else
      job.onExit = () => {
        onExit();
        settle();
      };
  }

  #settle(id: number, settle: () => void): void {
    this.#jobs.get(id)?.cancelAlarm();
    this.#jobs.delete(id);
    if (this.#jobs.size === 0 && this.#child !== undefined) keepAlive(this.#child, false);
    settle();
  }

  #signal(job: Job, name: NodeJS.Signals): void {
    if (job.pid === undefined) {
      job.pending = name;
      return;
    }
    signalGroup(job.pid, name);
    const helper = this.#child;
    if (name !== 'SIGKILL' || job.end !== undefined) return;
    job.cancelAlarm();
    job.cancelAlarm = realWorld.alarm(realWorld.now() + REPORT_MS, () => helper?.kill('SIGKILL'));
  }

  #lose(child: ChildProcess): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    process.off('beforeExit', this.#end);
    this.#deaths += 1;
    const lost = [...this.#jobs.values()];
    this.#jobs.clear();
    for (const job of lost) {
      job.cancelAlarm();
      void programEnded(job.pid).then(() => job.closed.reject(new ProgramLost('the spawn helper died')));
    }
  }
}

/** The helper of this process. */
export const spawnHelper = new SpawnHelper();

/** Signals a process group. */
export function signalGroup(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name);
  } catch (error) {
    // The group has already ended; on macOS a group of zombies answers EPERM.
    if (errorCode(error) !== 'ESRCH' && errorCode(error) !== 'EPERM') throw error;
  }
}

/** Nobody reports the end of a program whose helper died; where nothing reaps it, it stays as a zombie. */
async function programEnded(pid: number | undefined): Promise<void> {
  const identity = pid === undefined ? undefined : identify(pid);
  while (identity !== undefined && liveness(identity) !== 'gone') await realWorld.sleep(POLL_MS);
}

/** The helper alone never keeps this process alive; what it runs does. */
function keepAlive(helper: ChildProcess, isNeeded: boolean): void {
  const change = isNeeded ? ('ref' as const) : ('unref' as const);
  helper[change]();
  // They are sockets, which the type does not say.
  for (const stream of [helper.stdin, helper.stdout] as unknown as { ref(): void; unref(): void }[]) stream[change]();
}

/** The request for a program; undefined for one that the helper cannot start. */
function encode(id: number, { command, cwd, env, input }: ProgramRequest): Buffer | undefined {
  const given = input === undefined ? Buffer.alloc(0) : Buffer.from(input);
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const words = [String(command.length), cwd ?? process.cwd(), ...command, ...variables];
  if (command.length === 0 || given.length > MAX_INPUT_BYTES || words.some((word) => word.includes('\0')))
    return undefined;
  const head = Buffer.concat([
    Buffer.from('r'),
    uint32(id),
    Buffer.from([input === undefined ? 0 : 1]),
    uint32(given.length),
  ]);
  return framed(Buffer.concat([head, given, Buffer.from(words.join('\0'))]));
}

function framed(body: Buffer): Buffer {
  return Buffer.concat([uint32(body.length), body]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** The low bits of a wait status are the signal that ended the program, the next ones its exit code. */
function endOf(status: number): ProgramEnd {
  const number = status & 127;
  if (number === 0) return { code: status >> 8, signal: null };
  const name = Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
  return { code: null, signal: name ?? `SIG${number}` };
}
