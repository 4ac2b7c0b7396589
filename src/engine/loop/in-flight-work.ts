/** What an engine has under way, and the turns of its loop. */
export class InFlightWork {
  readonly #work = new Set<Promise<void>>();
  #pass = Promise.withResolvers<void>();
  #failure: { error: unknown } | undefined;

  get size(): number {
    return this.#work.size;
  }

  /** Counts work until it ends; it must not reject. */
  add(work: Promise<void>): void {
    const counted = work.finally(() => this.#work.delete(counted));
    this.#work.add(counted);
  }

  /** The loop has looked once more. */
  completePass(): void {
    this.#pass.resolve();
    this.#pass = Promise.withResolvers<void>();
  }

  /** The loop cannot go on: whoever waits for a look, now or later, is told so. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    // Nobody may be waiting.
    this.#pass.promise.catch(() => {});
    this.#pass.reject(error);
  }

  /** Resolves at the loop's next look; rejects if there will be none. */
  nextPass(): Promise<void> {
    return this.#failure === undefined ? this.#pass.promise : Promise.reject(this.#failure.error);
  }

  /** Resolves when nothing is under way, also nothing that began meanwhile. */
  async ended(): Promise<void> {
    while (this.#work.size > 0) await Promise.allSettled([...this.#work]);
  }
}
