import type { Answer, ForgeFailure } from '../../forges/forge.ts';
import type { World } from '../../world.ts';

/** How often a forge that does not answer is asked, and the first pause; each next one is twice as long. */
const TRIES = 3;
const PAUSE_MS = 1_000;
/** Longest that a forge which wants to be left alone is waited for, over all its answers. */
const MOST_REST_MS = 120_000;

/** Asks again where asking twice does no harm: soon when the forge does not answer, later when it names a time. */
export async function withRetries<T>(
  world: World,
  ask: () => Promise<Answer<T>>,
  signal: AbortSignal,
): Promise<Answer<T>> {
  const backoff = new RetryBackoff(world);
  for (;;) {
    const answer = await ask();
    if (answer.ok || !(await backoff.rest(answer.failure, signal))) return answer;
  }
}

/** How long one goes on after failures of a forge; it ends, so that a person hears of what does not pass. */
export class RetryBackoff {
  readonly #world: World;
  #tries = 0;
  #restedMs = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Waits as the failure demands and says whether to ask again. */
  async rest(failure: ForgeFailure, signal: AbortSignal): Promise<boolean> {
    this.#tries += 1;
    const pauseMs = this.#pauseAfter(failure);
    if (pauseMs === undefined) return false;
    this.#restedMs += pauseMs;
    await this.#world.sleep(pauseMs, signal);
    return true;
  }

  #pauseAfter({ kind, retryAfterMs = 0 }: ForgeFailure): number | undefined {
    switch (kind) {
      case 'unavailable':
      case 'unreadable':
        return this.#tries < TRIES ? PAUSE_MS * 2 ** (this.#tries - 1) : undefined;
      case 'rate-limit': {
        const pauseMs = Math.max(retryAfterMs, PAUSE_MS);
        return this.#restedMs + pauseMs <= MOST_REST_MS ? pauseMs : undefined;
      }
      case 'auth':
      case 'missing':
      case 'refused':
        return undefined;
    }
  }
}
