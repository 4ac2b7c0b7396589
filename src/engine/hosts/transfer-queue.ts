import type { Transferred } from '../../git/push/transfer.ts';
import type { World } from '../../world.ts';

/** Transfers what the items stand for, such as refs; ends when the signal aborts. */
type TransferItems = (items: readonly string[], signal: AbortSignal) => Promise<Transferred>;
type Waiting = { item: string; signal: AbortSignal } & Pick<PromiseWithResolvers<Transferred>, 'resolve' | 'reject'>;

/** How long others wait for a transfer: one that takes longer may be of much work, and the next one begins beside it. */
const SHORT_MS = 1_000;

/** Transfers in one direction between one repository and one mirror: what is requested while a short one runs is transferred together. */
export class TransferQueue {
  readonly #transfer: TransferItems;
  readonly #world: World;
  #waiting: Waiting[] = [];
  #isShort = false;

  constructor(transfer: TransferItems, world: World) {
    this.#transfer = transfer;
    this.#world = world;
  }

  /** Transfers an item; rejects when the signal aborts, and the transfer ends when nobody waits for it any more. */
  transfer(item: string, signal: AbortSignal): Promise<Transferred> {
    const { promise, resolve, reject } = Promise.withResolvers<Transferred>();
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    this.#waiting.push({ item, signal, resolve, reject });
    this.#next();
    return promise.finally(() => signal.removeEventListener('abort', leave));
  }

  #next(): void {
    if (this.#isShort || this.#waiting.length === 0) return;
    this.#isShort = true;
    let isCounted = true;
    const release = () => {
      if (!isCounted) return;
      isCounted = false;
      this.#isShort = false;
      this.#next();
    };
    const cancel = this.#world.alarm(this.#world.now() + SHORT_MS, release);
    void this.#transferTogether(this.#waiting.splice(0)).finally(() => {
      cancel();
      release();
    });
  }

  /** One that cannot be transferred must not keep the others away: then each is transferred alone. */
  async #transferTogether(all: readonly Waiting[]): Promise<void> {
    const waiting = all.filter(({ signal }) => !signal.aborted);
    if (waiting.length === 0) return;
    using over = abortedWithAll(waiting.map(({ signal }) => signal));
    try {
      const items = [...new Set(waiting.map(({ item }) => item))];
      const transferred = await this.#transfer(items, over.signal);
      if (transferred.kind === 'done' || items.length === 1) for (const { resolve } of waiting) resolve(transferred);
      else for (const one of waiting) await this.#transferTogether([one]);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}

/** Aborted when all of these signals are. */
function abortedWithAll(signals: readonly AbortSignal[]): Disposable & { signal: AbortSignal } {
  const over = new AbortController();
  const onAbort = () => {
    if (signals.every(({ aborted }) => aborted)) over.abort();
  };
  for (const signal of signals) signal.addEventListener('abort', onAbort);
  return {
    signal: over.signal,
    [Symbol.dispose]: () => {
      for (const signal of signals) signal.removeEventListener('abort', onAbort);
    },
  };
}
