import { bytesAfter, type Encoded, lastIdOf } from './encoded.ts';

/** A reader at a position of a feed. */
export interface Reader {
  /** The next bytes, as one piece; waits for items, and returns undefined at the end of the feed or after `close`. */
  read(): Promise<{ bytes: Buffer; last: number | undefined } | 'lost' | undefined>;
  close(): void;
}

export type FeedOptions = {
  source(signal: AbortSignal): AsyncIterable<Encoded>;
  /** The number after which the source begins; undefined if items are not ordered by number. */
  after: number | undefined;
  /** Called when there are no readers or no further items. */
  onIdle(): void;
};

/** The bytes between two positions that were read last. */
type Piece = { from: { index: number; last: number }; end: number; last: number; bytes: Buffer };
type Position = { index: number; last: number; wake: (() => void) | undefined; isClosed: boolean };

/** How much is kept for readers that are slightly behind. */
const KEPT_BYTES = 4 * 1024 * 1024;
/** The source is read while some reader has less than this ahead of it. */
const AHEAD_BYTES = 64 * 1024;
/** Larger pieces are split. */
const PIECE_BYTES = 256 * 1024;

/** One source, read and encoded once for any number of readers; a reader that is too far behind gets `lost`. */
export class Feed {
  readonly #items: Encoded[] = [];
  readonly #positions = new Set<Position>();
  readonly #stop = new AbortController();
  readonly #onIdle: () => void;
  readonly #isOrdered: boolean;
  #first = 0;
  #bytes = 0;
  #floor: number;
  #ended: { error: unknown } | 'done' | undefined;
  #isWaking = false;
  #hasWoken = false;
  #pull: (() => void) | undefined;
  #piece: Piece | undefined;

  constructor(options: FeedOptions) {
    this.#isOrdered = options.after !== undefined;
    this.#floor = options.after ?? 0;
    this.#onIdle = options.onIdle;
    void this.#run(options.source);
  }

  /** Whether every item after this number is still kept. */
  covers(after: number): boolean {
    return this.#isOrdered && after >= this.#floor && this.#ended === undefined;
  }

  /** Opens a reader after a number that the feed covers. */
  open(after: number): Reader {
    const skipped = this.#items.findIndex((item) => (lastIdOf(item) ?? Number.POSITIVE_INFINITY) > after);
    const index = this.#first + (skipped < 0 ? this.#items.length : skipped);
    const position: Position = { index, last: after, wake: undefined, isClosed: false };
    this.#positions.add(position);
    this.#pull?.();
    return { read: () => this.#read(position), close: () => this.#close(position) };
  }

  async #run(source: FeedOptions['source']): Promise<void> {
    try {
      for await (const item of source(this.#stop.signal)) {
        this.#push(item);
        if (!this.#isNeeded()) await this.#untilNeeded();
        if (this.#stop.signal.aborted) break;
      }
      this.#ended ??= 'done';
    } catch (error) {
      this.#ended ??= { error };
    }
    this.#onIdle();
    this.#wakeAll();
  }

  #push(item: Encoded): void {
    this.#items.push(item);
    this.#bytes += item.bytes.length;
    if (this.#bytes > KEPT_BYTES) this.#drop();
    if (this.#isWaking) return;
    this.#isWaking = true;
    const wake = () => {
      this.#isWaking = false;
      this.#wakeAll();
    };
    if (this.#hasWoken) {
      setImmediate(wake);
      return;
    }
    // At once, but only once per turn of the event loop, so that a long history does not block other work.
    this.#hasWoken = true;
    setImmediate(() => {
      this.#hasWoken = false;
    });
    queueMicrotask(wake);
  }

  /** Drops the oldest quarter. */
  #drop(): void {
    let count = 0;
    for (; count < this.#items.length - 1 && this.#bytes > KEPT_BYTES * 0.75; count += 1) {
      const item = this.#items[count];
      this.#bytes -= item?.bytes.length ?? 0;
      if (item !== undefined) this.#floor = lastIdOf(item) ?? this.#floor;
    }
    this.#items.splice(0, count);
    this.#first += count;
  }

  #wakeAll(): void {
    for (const position of this.#positions) {
      position.wake?.();
      position.wake = undefined;
    }
  }

  #isNeeded(): boolean {
    for (const position of this.#positions) if (this.#isNear(position)) return true;
    return false;
  }

  #isNear({ index }: Position): boolean {
    if (index < this.#first) return false;
    let ahead = 0;
    for (let at = index - this.#first; at < this.#items.length && ahead < AHEAD_BYTES; at += 1)
      ahead += this.#items[at]?.bytes.length ?? 0;
    return ahead < AHEAD_BYTES;
  }

  async #untilNeeded(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#pull = () => {
      if (this.#isNeeded() || this.#stop.signal.aborted) resolve();
    };
    await promise;
    this.#pull = undefined;
  }

  async #read(position: Position): ReturnType<Reader['read']> {
    while (!position.isClosed) {
      if (position.index < this.#first) return 'lost';
      const piece = this.#take(position);
      if (piece !== undefined) return piece;
      if (this.#ended === 'done') return undefined;
      if (this.#ended !== undefined) throw this.#ended.error;
      const { promise, resolve } = Promise.withResolvers<void>();
      position.wake = resolve;
      this.#pull?.();
      await promise;
    }
    return undefined;
  }

  /** Readers at the same position, as nearly all are, share a piece. */
  #take(position: Position): { bytes: Buffer; last: number | undefined } | undefined {
    const from = { index: position.index, last: position.last };
    const piece = this.#piece;
    if (piece?.from.index === from.index && piece.from.last === from.last && piece.end === this.#end()) {
      position.index = piece.end;
      position.last = piece.last;
      this.#pull?.();
      return piece;
    }
    const taken: Buffer[] = [];
    let size = 0;
    while (size < PIECE_BYTES) {
      const item = this.#items[position.index - this.#first];
      if (item === undefined) break;
      position.index += 1;
      const bytes = this.#isOrdered ? bytesAfter(item, position.last) : item.bytes;
      if (bytes.length === 0) continue;
      position.last = lastIdOf(item) ?? position.last;
      taken.push(bytes);
      size += bytes.length;
    }
    this.#pull?.();
    if (taken.length === 0) return undefined;
    this.#piece = { from, end: position.index, last: position.last, bytes: Buffer.concat(taken, size) };
    return this.#piece;
  }

  #end(): number {
    return this.#first + this.#items.length;
  }

  #close(position: Position): void {
    position.isClosed = true;
    this.#positions.delete(position);
    position.wake?.();
    if (this.#positions.size > 0) return;
    this.#ended ??= 'done';
    this.#onIdle();
    this.#stop.abort(new Error('The feed has no readers'));
    this.#pull?.();
  }
}
