import { AppError } from '../../errors.ts';
import type { World } from '../../world.ts';

/** A report that waits to be stored. */
type Report = { id: string; sequence: number; body: unknown };
type Waiting = { report: Report; bytes: number; resolve: () => void; reject: (error: unknown) => void };

type Parts = {
  world: World;
  /** Stores reports; false if this process has lost its lease. Throws one of OUTAGES where they can be stored later. */
  store(reports: readonly Report[]): Promise<boolean>;
  /** Called once, when the lease is lost. */
  onLost(): void;
};

const MOST_REPORTS = 200;
/** What is stored at once, so that a lost connection costs little. */
const MOST_BYTES = 4 * 1024 * 1024;
const AGAIN_MS = 500;
/** A database that does not answer, or has no space left, may accept the same reports later. */
const OUTAGES: readonly string[] = ['DATABASE_UNREACHABLE', 'NO_SPACE'];

/** The reports of a host, stored in order; one that was stored although the answer was lost is stored once. */
export class Outbox {
  readonly #parts: Parts;
  readonly #sequences = new Map<string, number>();
  #queue: Waiting[] = [];
  #isSending = false;
  #lost: AppError | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Resolves when the report is stored; rejects when the lease is lost. */
  send(id: string, body: unknown): Promise<void> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    const sequence = (this.#sequences.get(id) ?? 0) + 1;
    this.#sequences.set(id, sequence);
    const bytes = JSON.stringify(body).length;
    return new Promise((resolve, reject) => {
      this.#queue.push({ report: { id, sequence, body }, bytes, resolve, reject });
      void this.#sendAll();
    });
  }

  /** Forgets an order that is finished. */
  forget(id: string): void {
    this.#sequences.delete(id);
  }

  /** No report is accepted any more; those that wait are rejected. */
  fail(reason: string): void {
    if (this.#lost !== undefined) return;
    this.#lost = new AppError('HOST_LOST', reason);
    for (const { reject } of this.#queue.splice(0)) reject(this.#lost);
    this.#parts.onLost();
  }

  async #sendAll(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      while (this.#queue.length > 0) await this.#sendSome();
    } finally {
      this.#isSending = false;
    }
  }

  async #sendSome(): Promise<void> {
    const some = this.#take();
    try {
      const isStored = await this.#parts.store(some.map(({ report }) => report));
      if (isStored) for (const { resolve } of some) resolve();
      else {
        this.fail('The lease of this host was lost');
        for (const { reject } of some) reject(this.#lost);
      }
    } catch (error) {
      const isOutage = error instanceof AppError && OUTAGES.includes(error.code);
      if (!isOutage || this.#lost !== undefined) {
        for (const { reject } of some) reject(this.#lost ?? error);
        return;
      }
      this.#queue = [...some, ...this.#queue];
      await this.#parts.world.sleep(AGAIN_MS);
    }
  }

  #take(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const waiting of this.#queue) {
      if (count > 0 && (count >= MOST_REPORTS || bytes + waiting.bytes > MOST_BYTES)) break;
      bytes += waiting.bytes;
      count += 1;
    }
    return this.#queue.splice(0, count);
  }
}
