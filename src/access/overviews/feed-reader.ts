/** One who follows all runs: it is told which runs changed, each once, however slowly it asks. */
export class FeedReader {
  readonly #changed = new Set<string>();
  #failure: { error: unknown } | undefined;
  #more = Promise.withResolvers<void>();

  tell(run: string): void {
    this.#changed.add(run);
    this.#more.resolve();
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.#more.resolve();
  }

  /** Waits until a run changed; false when the signal aborts first. */
  async changed(signal: AbortSignal): Promise<boolean> {
    const wake = () => this.#more.resolve();
    signal.addEventListener('abort', wake, { once: true });
    try {
      while (!signal.aborted) {
        if (this.#failure !== undefined) throw this.#failure.error;
        if (this.#changed.size > 0) return true;
        this.#more = Promise.withResolvers<void>();
        await this.#more.promise;
      }
      return false;
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }

  /** The runs that changed so far, in the order in which they did. */
  take(): string[] {
    return [...this.#changed];
  }

  /** Its latest state is being told now. */
  drop(run: string): void {
    this.#changed.delete(run);
  }
}
