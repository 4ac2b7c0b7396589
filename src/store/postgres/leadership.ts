import { AppError } from '../../errors.ts';
import type { World } from '../../world.ts';
import type { Changes } from './changes.ts';
import type { Connection } from './connection.ts';
import { isOutage } from './postgres-error.ts';
import {
  beginTerm,
  type Candidate,
  DOUBT_MS,
  endTerm,
  notLeader,
  RENEW_MS,
  readLeader,
  renewTerm,
  type Term,
} from './term.ts';
import { writeChanges } from './write-changes.ts';

type Parts = {
  commits: Connection;
  renewals: Connection;
  candidate: Candidate;
  world: World;
};

const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 1_000;
/** How long a commit waits for a database that does not answer; agents continue meanwhile, and their output is read later. */
const MAX_OUTAGE_MS = 600_000;
/** The same while the store is being closed. */
const CLOSING_MS = 10_000;

/** This process as the one that writes: its term, the lease of which it renews, and the commits in it. */
export class Leadership implements AsyncDisposable {
  readonly #parts: Parts;
  readonly #lost = new AbortController();
  #term: Term | undefined;
  #cancelRenewal = () => {};
  #renewal: Promise<void> = Promise.resolve();
  #closingAt = Number.POSITIVE_INFINITY;
  #failure: unknown;
  #cancelDoubt = () => {};
  readonly #doubtListeners = new Set<() => void>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Aborted when another server has begun a term: nothing that this process writes is accepted any more. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** The epoch of the current term; undefined while this process does not lead. */
  get epoch(): number | undefined {
    return this.#lost.signal.aborted ? undefined : this.#term?.epoch;
  }

  /** Calls the listener when the lease may end soon and another server stands by: that one is going to start the tasks of this machine again. */
  onDoubt(listener: () => void): void {
    this.#doubtListeners.add(listener);
  }

  get isLeading(): boolean {
    return this.#term !== undefined;
  }

  /** Begins a term; throws NOT_LEADER if another server leads. */
  async begin(): Promise<void> {
    const { commits, candidate } = this.#parts;
    this.#term = await commits.use(async (client) => {
      const term = await beginTerm(client, candidate);
      if (term === undefined) throw notLeader(await readLeader(client));
      return term;
    });
    this.#renewAfter(RENEW_MS);
  }

  /**
   * Makes the changes durable as the next commit, and returns its number. While the database does not answer this waits;
   * a repeated commit happens once. If it stays unknown whether it happened, no later one is accepted.
   */
  async commit(changes: Changes): Promise<number> {
    const { commits, world } = this.#parts;
    const term = this.#term;
    if (this.#failure !== undefined) throw this.#failure;
    if (term === undefined) throw new AppError('INTERNAL', 'A commit needs a term');
    const id = { epoch: term.epoch, number: term.commitNumber + 1 };
    const giveUpAt = world.now() + MAX_OUTAGE_MS;
    for (let wait = FIRST_RETRY_MS; ; wait = Math.min(wait * 2, LONGEST_RETRY_MS)) {
      try {
        await commits.use((client) => writeChanges(client, id, changes));
        term.commitNumber = id.number;
        return id.number;
      } catch (error) {
        const isUnreachable = isOutage(error);
        const isOver = world.now() >= Math.min(giveUpAt, this.#closingAt);
        if (error instanceof AppError && error.code === 'NOT_LEADER') this.#loseTerm(error);
        if (isUnreachable && isOver) this.#failure = error;
        if (!isUnreachable || isOver) throw error;
      }
      await world.sleep(wait);
    }
  }

  /** No later commit is accepted, because the local file lacks one. */
  fail(error: unknown): void {
    this.#failure ??= error;
  }

  /** From now on a commit waits only briefly for the database. */
  beginClosing(): void {
    this.#closingAt = this.#parts.world.now() + CLOSING_MS;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancelRenewal();
    await this.#renewal;
    this.#cancelDoubt();
    const epoch = this.#term?.epoch;
    // Safe: without this the lease expires.
    if (epoch !== undefined && !this.lost.aborted)
      await this.#parts.commits.use((client) => endTerm(client, epoch)).catch(() => {});
    this.#term = undefined;
  }

  #renewAfter(delayMs: number): void {
    const { world } = this.#parts;
    this.#cancelRenewal = world.alarm(world.now() + delayMs, () => {
      this.#renewal = this.#renew();
    });
  }

  async #renew(): Promise<void> {
    const epoch = this.#term?.epoch;
    if (epoch === undefined) return;
    const { world } = this.#parts;
    const doubtAt = world.now() + DOUBT_MS;
    try {
      const renewed = await this.#parts.renewals.use((client) => renewTerm(client, epoch));
      this.#cancelDoubt();
      if (renewed?.isStoodBy === true) this.#cancelDoubt = world.alarm(doubtAt, () => this.#doubt());
      if (renewed !== undefined) this.#renewAfter(RENEW_MS);
      else this.#loseTerm(notLeader(await this.#parts.renewals.use(readLeader)));
    } catch {
      // Safe: whether the term has ended is decided by the next commit or renewal that the database answers.
      if (this.#closingAt === Number.POSITIVE_INFINITY) this.#renewAfter(LONGEST_RETRY_MS);
    }
  }

  #doubt(): void {
    for (const listener of this.#doubtListeners) listener();
  }

  #loseTerm(error: AppError): void {
    this.#failure ??= error;
    this.#cancelRenewal();
    this.#cancelDoubt();
    this.#lost.abort(error);
  }
}
