import { type CheckHost, placeCheck } from '../../core/schedule/hosts.ts';
import { type Fleet, HOSTS_RELEASE, isReleaseAccepted } from '../../store/fleet.ts';

/** A slot for a check on one process of a host, until it is disposed of. */
type CheckSlot = Disposable & { host: string; instance: string };

/** The free slots for checks of all hosts; a check waits until a host that suits it has one. */
export class CheckSlots {
  readonly #fleet: Fleet;
  readonly #busy = new Map<string, number>();
  readonly #waiting = new Set<() => void>();

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
    fleet.onChange(() => this.#wake());
  }

  /** Takes a slot as soon as there is one; rejects when the signal aborts. */
  async take(
    labels: readonly string[],
    { signal, onWaiting }: { signal: AbortSignal; onWaiting: (reason: string) => void },
  ): Promise<CheckSlot> {
    for (;;) {
      signal.throwIfAborted();
      const placement = placeCheck(this.#hosts(), labels);
      const found = placement.kind === 'host' ? this.#slot(placement.host) : undefined;
      if (found !== undefined) return found;
      if (placement.kind === 'later') onWaiting(placement.text);
      await this.#change(signal);
    }
  }

  #hosts(): CheckHost[] {
    return this.#fleet.hosts
      .filter(({ instance, release }) => instance !== null && isReleaseAccepted(release, HOSTS_RELEASE))
      .map(({ name, checks, labels, isDraining }) => ({
        name,
        slots: checks,
        free: isDraining ? 0 : checks - (this.#busy.get(name) ?? 0),
        labels,
      }));
  }

  #slot(host: string): CheckSlot | undefined {
    const instance = this.#fleet.hosts.find(({ name }) => name === host)?.instance;
    if (instance == null) return undefined;
    this.#busy.set(host, (this.#busy.get(host) ?? 0) + 1);
    return {
      host,
      instance,
      [Symbol.dispose]: () => {
        this.#busy.set(host, (this.#busy.get(host) ?? 1) - 1);
        this.#wake();
      },
    };
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Resolves when a host or a slot may have become free, or the signal aborts. */
  async #change(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    const wake = () => resolve();
    signal.addEventListener('abort', wake, { once: true });
    if (signal.aborted) resolve();
    await promise;
    signal.removeEventListener('abort', wake);
    this.#waiting.delete(resolve);
  }
}
