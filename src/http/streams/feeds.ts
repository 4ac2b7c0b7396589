import type { Encoded } from './encoded.ts';
import { Feed, type Reader } from './feed.ts';

/** A source that begins after a number and, if it can be shared, the key of its content. */
export type Followed = {
  source(after: number, signal: AbortSignal): AsyncIterable<Encoded>;
  after: number;
  shared: string | undefined;
};

/** A subscription to a source. */
export interface Subscription {
  next(): Promise<Buffer | undefined>;
  close(): void;
}

/** All open feeds; subscriptions to the same content share one source once they have caught up. */
export class Feeds {
  readonly #shared = new Map<string, Feed>();

  follow(what: Followed): Subscription {
    let { after } = what;
    let { reader, isShared } = this.#begin(what, after);
    const move = () => {
      reader.close();
      ({ reader, isShared } = this.#begin(what, after));
    };
    return {
      next: async () => {
        for (;;) {
          const piece = await reader.read();
          if (piece === undefined) return undefined;
          if (piece === 'lost') {
            move();
            continue;
          }
          after = piece.last ?? after;
          if (!isShared && this.#meets(what, after)) move();
          return piece.bytes;
        }
      },
      close: () => reader.close(),
    };
  }

  #begin(what: Followed, after: number): { reader: Reader; isShared: boolean } {
    const { shared } = what;
    const living = shared === undefined ? undefined : this.#shared.get(shared);
    if (living?.covers(after)) return { reader: living.open(after), isShared: true };
    const isShared = shared !== undefined && living === undefined;
    const feed: Feed = new Feed({
      source: (signal) => what.source(after, signal),
      after: shared === undefined ? undefined : after,
      onIdle: () => {
        if (shared !== undefined && this.#shared.get(shared) === feed) this.#shared.delete(shared);
      },
    });
    if (isShared) this.#shared.set(shared, feed);
    return { reader: feed.open(after), isShared };
  }

  #meets({ shared }: Followed, after: number): boolean {
    return shared !== undefined && this.#shared.get(shared)?.covers(after) === true;
  }
}
