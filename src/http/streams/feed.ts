import { bytesBehind, type Encoded, lastIdOf } from './encoded.ts';

/** A place in a feed; everything behind it is still to be read. */
export interface Reader {
  /** What is there, as one piece; waits for something, and gives undefined when nothing more comes or it was closed. */
  read(): Promise<{ bytes: Buffer; last: number | undefined } | 'lost' | undefined>;
  close(): void;
}

export type FeedOptions = {
  source(signal: AbortSignal): AsyncIterable<Encoded>;
  /** The number behind which the source begins; undefined where items do not come in the order of their numbers. */
  after: number | undefined;
  /** Is told when nobody reads any more, or nothing more comes. */
  onIdle(): void;
};

/** What lay between two places, as it was given last. */
type Piece = { from: { index: number; last: number }; end: number; last: number; bytes: Buffer };
type Place = { index: number; last: number; wake: (() => void) | undefined; isClosed: boolean };

/** So much of what was read is kept for those who are a little behind. */
const KEPT_BYTES = 4 * 1024 * 1024;
/** The source is asked on while some reader has less than this before it. */
const AHEAD_BYTES = 64 * 1024;
/** A larger piece is written in several. */
const PIECE_BYTES = 256 * 1024;

/** One source, read once and encoded once for any number of readers; whoever falls too far behind is told that it is lost. */
export class Feed {
  readonly #items: Encoded[] = [];
  readonly #places = new Set<Place>();
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

  /** Whether everything behind a number that the source has given is still here. */
  covers(after: number): boolean {
    return this.#isOrdered && after >= this.#floor && this.#ended === undefined;
  }

  /** Reads behind a number that it covers. */
  open(after: number): Reader {
    const skipped = this.#items.findIndex((item) => (lastIdOf(item) ?? Number.POSITIVE_INFINITY) > after);
    const index = this.#first + (skipped < 0 ? this.#items.length : skipped);
    const place: Place = { index, last: after, wake: undefined, isClosed: false };
    this.#places.add(place);
    this.#pull?.();
    return { read: () => this.#read(place), close: () => this.#close(place) };
  }

  async #run(source: FeedOptions['source']): Promise<void> {
    try {
      for await (const item of source(this.#stop.signal)) {
        this.#push(item);
        if (!this.#isWanted()) await this.#untilWanted();
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
    // At once, but once in a turn of the event loop: a long history is not read without a pause for others.
    this.#hasWoken = true;
    setImmediate(() => {
      this.#hasWoken = false;
    });
    queueMicrotask(wake);
  }

  /** Drops the oldest, a quarter at once. */
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
    for (const place of this.#places) {
      place.wake?.();
      place.wake = undefined;
    }
  }

  #isWanted(): boolean {
    for (const place of this.#places) if (this.#isNear(place)) return true;
    return false;
  }

  #isNear({ index }: Place): boolean {
    if (index < this.#first) return false;
    let ahead = 0;
    for (let at = index - this.#first; at < this.#items.length && ahead < AHEAD_BYTES; at += 1)
      ahead += this.#items[at]?.bytes.length ?? 0;
    return ahead < AHEAD_BYTES;
  }

  async #untilWanted(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#pull = () => {
      if (this.#isWanted() || this.#stop.signal.aborted) resolve();
    };
    await promise;
    this.#pull = undefined;
  }

  async #read(place: Place): ReturnType<Reader['read']> {
    while (!place.isClosed) {
      if (place.index < this.#first) return 'lost';
      const piece = this.#take(place);
      if (piece !== undefined) return piece;
      if (this.#ended === 'done') return undefined;
      if (this.#ended !== undefined) throw this.#ended.error;
      const { promise, resolve } = Promise.withResolvers<void>();
      place.wake = resolve;
      this.#pull?.();
      await promise;
    }
    return undefined;
  }

  /** Those who stand at the same place, as nearly all do, are given the same piece. */
  #take(place: Place): { bytes: Buffer; last: number | undefined } | undefined {
    const from = { index: place.index, last: place.last };
    const piece = this.#piece;
    if (piece?.from.index === from.index && piece.from.last === from.last && piece.end === this.#end()) {
      place.index = piece.end;
      place.last = piece.last;
      this.#pull?.();
      return piece;
    }
    const taken: Buffer[] = [];
    let size = 0;
    while (size < PIECE_BYTES) {
      const item = this.#items[place.index - this.#first];
      if (item === undefined) break;
      place.index += 1;
      const bytes = this.#isOrdered ? bytesBehind(item, place.last) : item.bytes;
      if (bytes.length === 0) continue;
      place.last = lastIdOf(item) ?? place.last;
      taken.push(bytes);
      size += bytes.length;
    }
    this.#pull?.();
    if (taken.length === 0) return undefined;
    this.#piece = { from, end: place.index, last: place.last, bytes: Buffer.concat(taken, size) };
    return this.#piece;
  }

  #end(): number {
    return this.#first + this.#items.length;
  }

  #close(place: Place): void {
    place.isClosed = true;
    this.#places.delete(place);
    place.wake?.();
    if (this.#places.size > 0) return;
    this.#ended ??= 'done';
    this.#onIdle();
    this.#stop.abort(new Error('Nobody reads any more'));
    this.#pull?.();
  }
}
