/** A counting semaphore: when no slot is free, callers wait in order. */
export class Slots {
  #free: number;
  #size: number;
  readonly #queue: (() => void)[] = [];

  constructor(size: number) {
    this.#free = size;
    this.#size = size;
  }

  get size(): number {
    return this.#size;
  }

  /** How many callers wait. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Raises the number of slots to this size; a smaller size changes nothing. */
  grow(size: number): void {
    for (; this.#size < size; this.#size += 1) this.#release();
  }

  /** Holds a slot while the work runs. */
  async with<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(signal);
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  #release(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.#queue.splice(this.#queue.indexOf(enter), 1);
        reject(signal?.reason);
      };
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener('abort', leave, { once: true });
      this.#queue.push(enter);
    });
  }
}
