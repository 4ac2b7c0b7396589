import { AppError } from '../../errors.ts';
import type { World } from '../../world.ts';

const WINDOW_MS = 60_000;
/** Wrong codes and tokens from one address in a minute. */
const MAX_FAILURES = 20;
/** Addresses to remember; beyond that all are forgotten. */
const MAX_ADDRESSES = 10_000;

/**
 * Throttles wrong codes and tokens by address. A correct one is always accepted: the secrets are too long to be guessed,
 * and an attacker must not be able to lock out the operator.
 */
export class FailedLogins {
  readonly #world: World;
  readonly #counts = new Map<string, { count: number; until: number }>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Counts a failure; throws LOGIN_THROTTLED if the address has exceeded its limit. */
  count(address: string): void {
    const now = this.#world.now();
    const known = this.#counts.get(address);
    const current = known === undefined || known.until <= now ? { count: 0, until: now + WINDOW_MS } : known;
    current.count += 1;
    if (this.#counts.size >= MAX_ADDRESSES) this.#counts.clear();
    this.#counts.set(address, current);
    if (current.count > MAX_FAILURES)
      throw new AppError('LOGIN_THROTTLED', 'Too many wrong codes or tokens were sent from this address');
  }
}
