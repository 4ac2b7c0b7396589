import { AppError } from '../errors.ts';
import type { World } from '../world.ts';

/** How long a call may take before its id is returned instead of its result. */
const PATIENCE_MS = 5_000;
/** Results that nobody fetched; beyond that the oldest is forgotten. */
const MOST_KEPT = 100;

/** The outcome of a call, or the id under which it can be fetched. */
export type Outcome = { done: true; value: unknown } | { done: false; id: string };

/** Calls that take longer than a client waits: each continues, and its result is kept for its owner until it is fetched. */
export class PendingCalls {
  readonly #world: World;
  readonly #calls = new Map<string, { owner: string; result: Promise<unknown> }>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Waits a moment for a call, longer if it waits itself; if it is still running, it gets an id. */
  async start(owner: string, result: Promise<unknown>, waitMs = 0): Promise<Outcome> {
    if (await this.#isDoneWithin(result, PATIENCE_MS + waitMs)) return { done: true, value: await result };
    const id = this.#world.runId();
    this.#calls.set(id, { owner, result });
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MOST_KEPT && oldest !== undefined) this.#calls.delete(oldest);
    return { done: false, id };
  }

  /** Waits for a call by its id. */
  async wait(owner: string, id: string, ms: number): Promise<Outcome> {
    const call = this.#calls.get(id);
    if (call === undefined || call.owner !== owner)
      throw new AppError('INPUT_INVALID', `There is no call ${id}; its result may have been fetched already`);
    if (!(await this.#isDoneWithin(call.result, ms))) return { done: false, id };
    this.#calls.delete(id);
    return { done: true, value: await call.result };
  }

  async #isDoneWithin(result: Promise<unknown>, ms: number): Promise<boolean> {
    const over = Promise.withResolvers<boolean>();
    const cancel = this.#world.alarm(this.#world.now() + ms, () => over.resolve(false));
    const settled = () => over.resolve(true);
    result.then(settled, settled);
    const isDone = await over.promise;
    cancel();
    return isDone;
  }
}
