import { type ChildProcess, spawn } from 'node:child_process';
import { crashpoint, inBackground, realWorld } from '../world.ts';
import { keepAlive, signalGroup } from './spawner/child.ts';

/** How the output from the answer to a request on is read: as the whole answer with its size, or as one that has at least so many bytes. */
export type AnswerReader<Answer> = (
  received: Buffer,
  request: string,
) => { answer: Answer; bytes: number } | { atLeast: number };

export type AnsweringOptions<Answer> = {
  command: readonly string[];
  cwd: string;
  /** The whole environment: nothing is added. */
  env: Record<string, string>;
  read: AnswerReader<Answer>;
  /** An answer that takes longer means that the program hangs: it is killed. */
  answerMs?: number;
};

/** No answer will come: the program died, was killed because it hung, or could not be started. Its effect is not known. */
export class AnswerLost extends Error {
  /** What it wrote before it ended. */
  readonly stderr: string;

  constructor(stderr: string) {
    super(`It ended without an answer: ${stderr}`);
    this.stderr = stderr;
  }
}

type Pending<Answer> = { request: string; resolve: (answer: Answer) => void; reject: (error: AnswerLost) => void };

const ANSWER_MS = 60_000;
/** A program that is not used ends, so that an idle engine holds none. */
const IDLE_MS = 10_000;
const MAX_STDERR_CHARS = 2_000;

/**
 * A program that answers requests on its standard input one after another, and is started for the first of them. It ends
 * when its input ends, so with this process however that ends; it never keeps this process alive while it has
 * nothing to answer. When it dies, its pending requests are lost, and the next request starts another one.
 */
export class AnsweringProgram<Answer> {
  readonly #options: AnsweringOptions<Answer>;
  readonly #pending: Pending<Answer>[] = [];
  #child: ChildProcess | undefined;
  #chunks: Buffer[] = [];
  #received = 0;
  #needed = 1;
  #stderr = '';
  #lastUsed = 0;
  #cancelAlarm = () => {};

  constructor(options: AnsweringOptions<Answer>) {
    this.#options = options;
  }

  /** Its process, while there is one. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** The answer to a request, which must be exactly one; throws `AnswerLost`. */
  ask(request: string): Promise<Answer> {
    const child = this.#child ?? this.#start();
    this.#lastUsed = realWorld.now();
    return new Promise((resolve, reject) => {
      this.#pending.push({ request, resolve, reject });
      if (this.#pending.length === 1) {
        keepAlive(child, true);
        this.#await(child);
      }
      child.stdin?.write(request);
    });
  }

  /** Lets it end; resolves when it has ended. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    const closed = new Promise((resolve) => child.once('close', resolve));
    keepAlive(child, true);
    child.stdin?.end();
    const cancel = realWorld.alarm(realWorld.now() + this.#answerMs, () => kill(child));
    await closed;
    cancel();
  }

  get #answerMs(): number {
    return this.#options.answerMs ?? ANSWER_MS;
  }

  #start(): ChildProcess {
    const { command, cwd, env } = this.#options;
    const [program = '', ...args] = command;
    crashpoint('answering.starting');
    // Without a free descriptor it has no pipes, which the narrower type does not say.
    const child: ChildProcess = spawn(program, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child = child;
    this.#chunks = [];
    this.#received = 0;
    this.#needed = 1;
    this.#stderr = '';
    // Its death is noticed by the end of its output.
    child.stdin?.on('error', () => {});
    child.stdout?.on('data', (chunk: Buffer) => this.#receive(child, chunk));
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr = `${this.#stderr}${chunk.toString('utf8')}`.slice(-MAX_STDERR_CHARS);
    });
    child.on('error', () => this.#lose(child));
    child.on('close', () => this.#lose(child));
    this.#endWhenIdle(child);
    crashpoint('answering.started');
    return child;
  }

  #receive(child: ChildProcess, chunk: Buffer): void {
    if (this.#child !== child) return;
    this.#chunks.push(chunk);
    this.#received += chunk.length;
    while (this.#received >= this.#needed) {
      const [pending] = this.#pending;
      if (pending === undefined) {
        // It answers what nobody asked: nothing that it says can be assigned to a request any more.
        kill(child);
        return;
      }
      const received = this.#chunks.length === 1 ? (this.#chunks[0] ?? chunk) : Buffer.concat(this.#chunks);
      const read = this.#options.read(received, pending.request);
      this.#chunks = [received];
      if ('atLeast' in read) {
        this.#needed = Math.max(read.atLeast, this.#received + 1);
        return;
      }
      this.#chunks = [received.subarray(read.bytes)];
      this.#received -= read.bytes;
      this.#needed = 1;
      this.#pending.shift();
      this.#await(child);
      pending.resolve(read.answer);
    }
  }

  /** Waits for the next answer, if there is one to come. */
  #await(child: ChildProcess): void {
    this.#cancelAlarm();
    this.#cancelAlarm = () => {};
    if (this.#pending.length === 0) keepAlive(child, false);
    else this.#cancelAlarm = realWorld.alarm(realWorld.now() + this.#answerMs, () => kill(child));
  }

  #endWhenIdle(child: ChildProcess): void {
    inBackground(IDLE_MS, () => {
      if (this.#child !== child) return;
      const isIdle = this.#pending.length === 0 && realWorld.now() - this.#lastUsed >= IDLE_MS;
      if (!isIdle) return this.#endWhenIdle(child);
      this.#child = undefined;
      child.stdin?.end();
    });
  }

  #lose(child: ChildProcess): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.#cancelAlarm();
    const lost = new AnswerLost(this.#stderr.trim());
    for (const { reject } of this.#pending.splice(0)) reject(lost);
  }
}

function kill(child: ChildProcess): void {
  if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
}
