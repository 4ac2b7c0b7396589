import type { Answer, ForgeFailure } from '../../forges/forge.ts';
import type { World } from '../../world.ts';

/** How often a request to an unavailable forge is sent, and the first pause; each further pause is twice as long. */
const MAX_TRIES = 3;
const PAUSE_MS = 1_000;
/** The longest total wait for a forge that limits the rate of requests. */
const MAX_WAIT_MS = 120_000;

/** Repeats an idempotent request: soon when the forge does not answer, later when it names a time. */
export async function withRetries<T>(
  world: World,
  request: () => Promise<Answer<T>>,
  signal: AbortSignal,
): Promise<Answer<T>> {
  const backoff = new RetryBackoff(world);
  for (;;) {
    const answer = await request();
    if (answer.ok || !(await backoff.wait(answer.failure, signal))) return answer;
  }
}

/** How long requests are repeated after failures of a forge; it is limited, so that a person learns of a persistent failure. */
export class RetryBackoff {
  readonly #world: World;
  #tries = 0;
  #waitedMs = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Waits as the failure demands; returns whether to try again. */
  async wait(failure: ForgeFailure, signal: AbortSignal): Promise<boolean> {
    this.#tries += 1;
    const pauseMs = this.#pauseAfter(failure);
    if (pauseMs === undefined) return false;
    this.#waitedMs += pauseMs;
    await this.#world.sleep(pauseMs, signal);
    return true;
  }

  #pauseAfter({ kind, retryAfterMs = 0 }: ForgeFailure): number | undefined {
    switch (kind) {
      case 'unavailable':
      case 'unreadable':
        return this.#tries < MAX_TRIES ? PAUSE_MS * 2 ** (this.#tries - 1) : undefined;
      case 'rate-limit': {
        const pauseMs = Math.max(retryAfterMs, PAUSE_MS);
        return this.#waitedMs + pauseMs <= MAX_WAIT_MS ? pauseMs : undefined;
      }
      case 'auth':
      case 'missing':
      case 'refused':
        return undefined;
    }
  }
}
