/** A number of places; who finds none waits in line. */
export class Slots {
  #free: number;
  #places: number;
  readonly #line: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
    this.#places = places;
  }

  /** Makes room for so many at once, if there is less. */
  grow(places: number): void {
    for (; this.#places < places; this.#places += 1) this.#release();
  }

  /** Holds a place while the work is done. */
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
    const nextInLine = this.#line.shift();
    if (nextInLine === undefined) this.#free += 1;
    else nextInLine();
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.#line.splice(this.#line.indexOf(enter), 1);
        reject(signal?.reason);
      };
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener('abort', leave, { once: true });
      this.#line.push(enter);
    });
  }
}
