import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Socket } from 'node:net';
import { crashpoint, realWorld } from '../../world.ts';
import { identify, type ProcessIdentity } from '../identity.ts';
import { processGone } from '../wait-for-exit.ts';
import { ChannelListener } from './channel-listener.ts';
import { keepAlive, signalGroup } from './child.ts';
import { spawnTurn } from './spawn-turn.ts';
import {
  dropRequest,
  endOf,
  type OutputListeners,
  PERL,
  type Program,
  type ProgramEnd,
  type ProgramRequest,
  runRequest,
  type ShimRequest,
  SPAWNER_PROGRAM,
  shimRequest,
} from './spawner-program.ts';

/** It is not known how the program ended, or whether it ran; it is certain that it does not run any more. */
export class ProgramLost extends Error {}

/** A shim that the spawner started, and its channel: from then on it does not need the spawner. */
export type StartedShim = { identity: ProcessIdentity; channel: Socket };

type Job = {
  /** A shim has no output here, and is no job any more when it has connected. */
  kind: 'program' | 'shim';
  /** The one that was asked; another one may have taken its place. */
  spawner: ChildProcess;
  pid: number | undefined;
  pending: NodeJS.Signals | undefined;
  end: ProgramEnd | undefined;
  output: OutputListeners;
  onExit: () => void;
  cancelAlarm: () => void;
  closed: PromiseWithResolvers<ProgramEnd>;
};

type SpawnerOptions = { after?: number; program?: string; connectMs?: number };

/** Its start costs as much as some dozen programs: it is for processes that start many. */
const WORTH_IT = 24;
/** More would not fit into the set of descriptors that it waits for. */
const MAX_JOBS = 200;
/** A spawner that died this often before a program of it had ended is not started again. */
const MAX_DEATHS = 3;
const HEADER_BYTES = 9;
/** How soon it must report the end of a killed program; one that does not is stopped itself. */
const REPORT_MS = 5_000;
/** How soon a shim must have connected; a spawner that has not achieved it is stopped. */
const CONNECT_MS = 30_000;
/** How a program ends that could not be executed. */
const NOT_EXECUTED = 'SIGUSR2';

/**
 * A small process that starts programs for this one, because a fork of a large process copies its page tables. It ends
 * with this process, however that ends; what it started continues, as a child of this process would. When it dies, its
 * programs are awaited and reported as lost, and the next request starts another one.
 */
export class Spawner {
  readonly #program: string;
  readonly #connectMs: number;
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
  #listener: Promise<ChannelListener> | undefined;

  constructor({ after = WORTH_IT, program = PERL, connectMs = CONNECT_MS }: SpawnerOptions = {}) {
    this.#left = after;
    this.#program = program;
    this.#connectMs = connectMs;
  }

  /** Starts programs from the first one on: this process is going to start many. */
  expectMany(): void {
    this.#left = 0;
  }

  /** The process of the spawner, while there is one. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Starts a program; undefined where this process should start it itself. */
  start(request: ProgramRequest, output: OutputListeners): Program | undefined {
    if (this.#left > 0) {
      this.#left -= 1;
      return undefined;
    }
    const id = this.#lastId + 1;
    const job = this.#jobs.size < MAX_JOBS ? this.#request('program', runRequest(id, request), output) : undefined;
    if (job === undefined) return undefined;
    return {
      signal: (name) => this.#signal(job, name),
      drop: () => void this.#child?.stdin?.write(dropRequest(id)),
      onExit: (listener) => {
        job.onExit = listener;
      },
      closed: job.closed.promise,
    };
  }

  /**
   * Starts a shim, which then needs the spawner no more; undefined where this process should start it itself. One whose
   * start was lost has ended by then, and has written nothing.
   */
  async startShim(request: Omit<ShimRequest, 'channel'>): Promise<StartedShim | undefined> {
    if (this.#left > 0) {
      this.#left -= 1;
      return undefined;
    }
    if (process.platform !== 'linux') return undefined;
    this.#listener ??= ChannelListener.open();
    const listener = await this.#listener;
    const key = realWorld.token();
    const frame = shimRequest(this.#lastId + 1, { ...request, channel: { name: listener.name, key } });
    const job = this.#request('shim', frame, { stdout: () => {}, stderr: () => {} });
    if (job === undefined) return undefined;
    const id = this.#lastId;
    const expected = listener.expect(key);
    this.#expectReport(job, this.#connectMs);
    const channel = await Promise.race([expected.channel, job.closed.promise.catch(() => {})]);
    expected.cancel();
    if (this.#jobs.get(id) === job) this.#forget(id);
    const identity = job.pid === undefined ? undefined : identify(job.pid);
    if (!(channel instanceof Socket)) return undefined;
    if (identity === undefined) channel.destroy();
    return identity === undefined ? undefined : { identity, channel };
  }

  #request(kind: Job['kind'], frame: Buffer | undefined, output: OutputListeners): Job | undefined {
    const spawner = frame === undefined ? undefined : (this.#child ?? this.#begin());
    if (frame === undefined || spawner === undefined) return undefined;
    const none = () => {};
    const closed = Promise.withResolvers<ProgramEnd>();
    const [pid, pending, end] = [undefined, undefined, undefined];
    const job: Job = { kind, spawner, pid, pending, end, output, onExit: none, cancelAlarm: none, closed };
    this.#lastId += 1;
    this.#jobs.set(this.#lastId, job);
    keepAlive(spawner, true);
    spawner.stdin?.write(frame);
    return job;
  }

  #begin(): ChildProcess | undefined {
    if (this.#deaths >= MAX_DEATHS || !existsSync(this.#program)) return undefined;
    crashpoint('spawner.starting');
    const child = spawn(this.#program, ['-e', SPAWNER_PROGRAM], {
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
    crashpoint('spawner.started');
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
        if (job.kind === 'shim') this.#settleWhenExited(id, job);
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
    this.#forget(id);
    // Many ends can arrive at once; what each of them causes goes into a turn of its own.
    void spawnTurn().then(settle);
  }

  #forget(id: number): void {
    this.#jobs.get(id)?.cancelAlarm();
    this.#jobs.delete(id);
    if (this.#jobs.size === 0 && this.#child !== undefined) keepAlive(this.#child, false);
  }

  #signal(job: Job, name: NodeJS.Signals): void {
    if (job.pid === undefined) job.pending = name;
    else signalGroup(job.pid, name);
    if (name === 'SIGKILL' && job.end === undefined) this.#expectReport(job, REPORT_MS);
  }

  /** Ends the spawner of a job that has not been settled in this time: it is stopped, or does not get on. */
  #expectReport(job: Job, withinMs: number): void {
    if (job.spawner !== this.#child) return;
    job.cancelAlarm();
    job.cancelAlarm = realWorld.alarm(realWorld.now() + withinMs, () => job.spawner.kill('SIGKILL'));
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
      void programEnded(job.pid).then(() => job.closed.reject(new ProgramLost('the spawner died')));
    }
  }
}

/** The spawner of this process. */
export const processSpawner = new Spawner();

/** Nobody reports the end of a program whose spawner died; where nothing reaps it, it stays as a zombie. */
async function programEnded(pid: number | undefined): Promise<void> {
  const identity = pid === undefined ? undefined : identify(pid);
  if (identity !== undefined) await processGone(identity);
}
