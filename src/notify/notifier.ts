import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Caller } from '../access/caller.ts';
import { isInterrupted } from '../core/view/open-run.ts';
import type { Origin } from '../schema/actor.ts';
import type { NotifyTarget } from '../schema/config/notify.ts';
import type { RunOverview } from '../schema/overview.ts';
import { readPrivate, writePrivate } from '../store/private-file.ts';
import { crashpoint, type World } from '../world.ts';
import { deliver as deliverMessage } from './deliver.ts';
import { interruptionMessage, type Message, messagesOf } from './messages.ts';

type NotifierOptions = {
  caller: Caller;
  world: World;
  /** The file of the keys of what was delivered. */
  file: string;
  /** The address of the dashboard, without a secret. */
  base: string;
  /** The receivers in the person's own settings, read again for each message. */
  targets(): Promise<readonly NotifyTarget[]>;
  deliver?: typeof deliverMessage;
};

/** Keys of older messages are forgotten: their runs ended long ago. */
const MAX_KEYS = 5_000;
const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 600_000;
const REOPEN_MS = 2_000;
/** A server that starts resumes its runs within seconds; what is interrupted for longer needs the user. */
const INTERRUPTED_MS = 60_000;
const ORIGIN: Origin = { actor: { kind: 'person', name: 'viewer' }, via: 'http' };

/** Sends what needs the user to their receivers until the signal aborts: each message at least once to each receiver. */
export async function notifyUser(options: NotifierOptions, signal: AbortSignal): Promise<void> {
  const notifier = new Notifier(options, signal);
  while (!signal.aborted) {
    try {
      await notifier.follow();
    } catch {
      // The engine has ended or is not reachable: its successor is followed.
    }
    // An abort ends the loop.
    await options.world.sleep(REOPEN_MS, signal).catch(() => {});
  }
  await notifier.ended();
}

class Notifier {
  readonly #options: NotifierOptions;
  readonly #signal: AbortSignal;
  readonly #queue = new Map<string, Message>();
  /** Ends the wait for the runs that no engine is running, by their ids. */
  readonly #interrupted = new Map<string, () => void>();
  #delivered: Set<string> | undefined;
  #working: Promise<void> | undefined;

  constructor(options: NotifierOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  /** Resolves when nothing is being sent. */
  async ended(): Promise<void> {
    await this.#working;
  }

  async follow(): Promise<void> {
    const { caller, file } = this.#options;
    const stored = await readPrivate(file, z.array(z.string()));
    this.#delivered ??= new Set(stored);
    const isFirstTime = stored === undefined;
    let isReady = false;
    try {
      for await (const items of caller.batches('watch-runs', {}, { signal: this.#signal, origin: ORIGIN }))
        for (const item of items) {
          if ('ready' in item) isReady = true;
          else if ('run' in item) await this.#take(item.run, isFirstTime && !isReady);
        }
    } finally {
      // What the next engine runs is not known yet.
      for (const run of this.#interrupted.keys()) this.#forgetInterrupted(run);
    }
  }

  /** With the first server ever, runs that ended before are no news. */
  async #take(run: RunOverview, isOld: boolean): Promise<void> {
    for (const message of messagesOf(run)) {
      if (this.#queue.has(message.key)) continue;
      if (isOld && message.reason !== 'needs-you') await this.#record(message, await this.#options.targets());
      else this.#queue.set(message.key, message);
    }
    if (!isInterrupted(run)) this.#forgetInterrupted(run.run);
    else if (!this.#interrupted.has(run.run)) this.#interrupted.set(run.run, this.#awaitResumption(run));
    this.#startWork();
  }

  /** The message is sent if the run is still interrupted then. */
  #awaitResumption(run: RunOverview): () => void {
    const { world } = this.#options;
    return world.alarm(world.now() + INTERRUPTED_MS, () => {
      const message = interruptionMessage(run);
      this.#queue.set(message.key, message);
      this.#startWork();
    });
  }

  #forgetInterrupted(run: string): void {
    this.#interrupted.get(run)?.();
    this.#interrupted.delete(run);
  }

  #startWork(): void {
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  async #work(): Promise<void> {
    let pause = FIRST_PAUSE_MS;
    for (const [key, message] of this.#queue) {
      const isDone = await this.#send(message).catch(() => false);
      if (this.#signal.aborted) break;
      if (isDone) {
        this.#queue.delete(key);
        pause = FIRST_PAUSE_MS;
        continue;
      }
      this.#queue.delete(key);
      this.#queue.set(key, message);
      await this.#options.world.sleep(pause, this.#signal).catch(() => {});
      pause = Math.min(pause * 2, MAX_PAUSE_MS);
      if (this.#signal.aborted) break;
    }
  }

  /** Whether every receiver has it, or can never get it. */
  async #send(message: Message): Promise<boolean> {
    const { deliver = deliverMessage, base } = this.#options;
    const targets = (await this.#options.targets()).filter(({ on }) => on.includes(message.reason));
    let isComplete = true;
    for (const target of targets) {
      if (this.#delivered?.has(deliveredKey(target, message))) continue;
      const result = await deliver(target, message, base);
      crashpoint('notify.delivered');
      if (result.ok || !result.retry) await this.#record(message, [target]);
      else isComplete = false;
    }
    return isComplete;
  }

  async #record(message: Message, targets: readonly NotifyTarget[]): Promise<void> {
    const { file, world } = this.#options;
    const delivered = this.#delivered ?? new Set<string>();
    for (const target of targets) delivered.add(deliveredKey(target, message));
    this.#delivered = new Set([...delivered].slice(-MAX_KEYS));
    await writePrivate(file, [...this.#delivered], world);
  }
}

function deliveredKey({ kind, url }: NotifyTarget, { key }: Message): string {
  return `${kind} ${createHash('sha256').update(url).digest('hex').slice(0, 12)} ${key}`;
}
