/** What an engine has under way, and the turns of its loop. */
export class Underway {
  readonly #work = new Set<Promise<void>>();
  #turn = Promise.withResolvers<void>();

  get size(): number {
    return this.#work.size;
  }

  /** Counts work until it ends; it must not reject. */
  add(work: Promise<void>): void {
    const counted = work.finally(() => this.#work.delete(counted));
    this.#work.add(counted);
  }

  /** The loop has looked once more. */
  look(): void {
    this.#turn.resolve();
    this.#turn = Promise.withResolvers<void>();
  }

  /** Resolves at the loop's next look. */
  looked(): Promise<void> {
    return this.#turn.promise;
  }

  /** Resolves when nothing is under way, also nothing that began meanwhile. */
  async ended(): Promise<void> {
    while (this.#work.size > 0) await Promise.allSettled([...this.#work]);
  }
}
