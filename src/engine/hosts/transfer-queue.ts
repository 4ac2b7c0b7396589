import { fetchRefs, type Transfer, type Transferred } from '../../git/push/transfer.ts';
import type { World } from '../../world.ts';

type Waiting = { prefix: string } & Pick<PromiseWithResolvers<Transferred>, 'resolve' | 'reject'>;

/** How long others wait for a fetch: one that takes longer may be of much work, and the next one begins beside it. */
const SHORT_MS = 1_000;

/** Fetches refs from one repository into one mirror: what is requested while a short fetch runs is fetched together. */
export class FetchQueue {
  readonly #transfer: Transfer;
  readonly #world: World;
  readonly #fetchRefs: typeof fetchRefs;
  #waiting: Waiting[] = [];
  #isShort = false;

  constructor(transfer: Transfer, world: World, fetch = fetchRefs) {
    this.#transfer = transfer;
    this.#world = world;
    this.#fetchRefs = fetch;
  }

  /** Fetches every ref below a prefix of ours. */
  fetch(prefix: string): Promise<Transferred> {
    const { promise, resolve, reject } = Promise.withResolvers<Transferred>();
    this.#waiting.push({ prefix, resolve, reject });
    this.#next();
    return promise;
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
    void this.#fetchTogether(this.#waiting.splice(0)).finally(() => {
      cancel();
      release();
    });
  }

  /** One that cannot be fetched must not keep the others away: then each is fetched alone. */
  async #fetchTogether(waiting: readonly Waiting[]): Promise<void> {
    try {
      const prefixes = waiting.map(({ prefix }) => prefix);
      const fetched = await this.#fetchRefs(this.#transfer, prefixes);
      if (fetched.kind === 'done' || waiting.length === 1) for (const { resolve } of waiting) resolve(fetched);
      else for (const one of waiting) await this.#fetchTogether([one]);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}
