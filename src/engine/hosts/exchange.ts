import { namedCommits } from '../../core/run/named-commits.ts';
import { AppError } from '../../errors.ts';
import { type Mirror, missingCommits } from '../../git/mirror/mirror.ts';
import { fetchRefs, openBareMirror, pushCommits, type Transfer, type Transferred } from '../../git/push/transfer.ts';
import { Slots } from '../../git/slots.ts';
import type { Home } from '../../home.ts';
import type { Config } from '../../schema/config.ts';
import type { RunEvent } from '../../schema/event.ts';
import type { TaskKey } from '../../schema/ids.ts';
import { makeOrderToken, type OrderAccess } from '../../store/credentials/order-token.ts';
import type { ActiveRun, CommitExchange, EngineContext, RunBase } from '../loop/context.ts';
import { TransferQueue } from './transfer-queue.ts';

/** The value of `hosts.git` for the repository of the server itself. */
export const SERVER_REPOSITORY = 'server';

/** Where the leader reaches the repository of the hosts; undefined where there are no hosts. */
export function exchangeUrl(
  { home }: { home: Pick<Home, 'exchange'> },
  { hosts }: Pick<Config, 'hosts'>,
): string | undefined {
  return hosts.git === SERVER_REPOSITORY ? home.exchange : hosts.git;
}

/** How the host that performs an order reaches it. */
export async function exchangeForHosts(
  { home, world }: Pick<EngineContext, 'home' | 'world'>,
  { hosts }: Pick<Config, 'hosts'>,
  access: OrderAccess,
): Promise<{ url: string; token?: string }> {
  const { git = '', address = '' } = hosts;
  if (git !== SERVER_REPOSITORY) return { url: git };
  const url = `${address.replace(/\/$/, '')}/git/exchange.git`;
  return { url, token: await makeOrderToken(home.server, access, world) };
}

type Sharing = { tasks: readonly TaskKey[]; url: string; commits: readonly string[]; signal: AbortSignal };

/** How many commits are remembered of each repository. */
const MOST_KNOWN = 100_000;
/** How long before commits are pushed again to a repository that does not accept them. */
const PUSH_AGAIN_MS = 5_000;

/**
 * The repository of the hosts (`hosts.git`) as the leader fills it. Everything that an event names is there before the
 * event is written, so that a server with an empty disk can continue every run.
 */
export class Exchange implements CommitExchange {
  /** Commits that a host finds in the repository by their ids, by its URL. */
  readonly #pushed = new Map<string, Set<string>>();
  /** Commits that were fetched from it, where they have other refs: an event may name them, and a host does not find them. */
  readonly #fetched = new Map<string, Set<string>>();
  /** One push at a time to each URL, so that the commits of several tasks need few. */
  readonly #pushing = new Map<string, Slots>();
  /** By the URL and the folder of the mirror. */
  readonly #fetching = new Map<string, TransferQueue>();

  /** Commits that were fetched from the repository need not be pushed before an event names them. */
  note(url: string, commits: readonly string[]): void {
    addTo(this.#fetched, url, commits);
  }

  fetch(
    { stopping, world }: EngineContext,
    { mirror, url, prefix }: { mirror: Mirror; url: string; prefix: string },
  ): Promise<Transferred> {
    const key = `${url}\n${mirror.dir}`;
    const fetch = (prefixes: readonly string[], signal: AbortSignal) => fetchRefs({ mirror, url, signal }, prefixes);
    const fetching = this.#fetching.get(key) ?? new TransferQueue(fetch, world);
    this.#fetching.set(key, fetching);
    return fetching.transfer(prefix, stopping);
  }

  /** Pushes commits; false if the repository did not accept them, after a pause. */
  async push(ctx: EngineContext, run: ActiveRun, { tasks, url, commits, signal }: Sharing): Promise<boolean> {
    if (this.#missing(url, commits).length === 0) return true;
    const what = { kind: 'mirror' as const, what: 'pushes its commits to the repository of the hosts' };
    using step = ctx.activities.begin({ run, tasks: [...tasks] }, what);
    const { mirror } = run.project;
    const pushing = this.#pushing.get(url) ?? new Slots(1);
    this.#pushing.set(url, pushing);
    const refusal = await pushing.with(() => this.#pushMissing(ctx, { mirror, url, signal }, commits), signal);
    if (refusal === undefined) return true;
    step.update({ kind: 'waiting', what: `waits for the repository of the hosts (hosts.git): ${refusal}` });
    // Safe: who waits looks at the signal.
    await ctx.world.sleep(PUSH_AGAIN_MS, signal).catch(() => {});
    return false;
  }

  /** Pushes what an earlier push has not brought there; returns why it was not accepted. */
  async #pushMissing(ctx: EngineContext, transfer: Transfer, commits: readonly string[]): Promise<string | undefined> {
    const missing = this.#missing(transfer.url, commits);
    if (missing.length === 0) return undefined;
    await prepare(ctx, transfer.url, transfer.mirror);
    const pushed = await pushCommits(transfer, missing);
    if (pushed.kind !== 'done') return pushed.detail;
    addTo(this.#pushed, transfer.url, missing);
    return undefined;
  }

  /** Pushes commits until they are there; rejects when the run is cancelled or the engine stops. */
  async share(
    ctx: EngineContext,
    run: ActiveRun,
    { tasks, commits }: Pick<Sharing, 'tasks' | 'commits'>,
  ): Promise<void> {
    const url = exchangeUrl(ctx, run.ledger.state.start.config);
    const signal = AbortSignal.any([ctx.stopping, run.cancel.signal]);
    while (url !== undefined && !(await this.push(ctx, run, { tasks, url, commits, signal }))) signal.throwIfAborted();
  }

  /** Pushes the commit that a run is to start from; a run whose base cannot be shared does not start. */
  async shareBase(ctx: EngineContext, { config, mirror, commit }: RunBase): Promise<void> {
    const url = exchangeUrl(ctx, config);
    if (url === undefined || this.#missing(url, [commit]).length === 0) return;
    await prepare(ctx, url, mirror);
    const pushed = await pushCommits({ mirror, url, signal: ctx.stopping }, [commit]);
    if (pushed.kind !== 'done') {
      const message = `The repository of the hosts (hosts.git) does not accept the base of the run: ${pushed.detail}`;
      throw new AppError('GIT_FAILED', message, { url, commit });
    }
    addTo(this.#pushed, url, [commit]);
  }

  /**
   * What must be done before these events are written; undefined if nothing. Only the end of the engine ends it: most
   * commits are shared before the decision that names them, where a cancelled run need not wait.
   */
  beforeEvents(ctx: EngineContext, run: ActiveRun, events: readonly RunEvent[]): Promise<void> | undefined {
    const url = exchangeUrl(ctx, run.ledger.state.start.config);
    if (url === undefined) return undefined;
    const fetched = this.#fetched.get(url);
    const commits = this.#missing(url, namedCommits(events)).filter((commit) => fetched?.has(commit) !== true);
    return commits.length === 0 ? undefined : this.#pushNamed(ctx, run, { url, commits });
  }

  async #pushNamed(
    ctx: EngineContext,
    run: ActiveRun,
    { url, commits }: Pick<Sharing, 'url' | 'commits'>,
  ): Promise<void> {
    // A host may name a commit that nobody has; there is nothing to keep of it.
    const absent = await missingCommits(run.project.mirror, commits);
    const present = commits.filter((commit) => !absent.includes(commit));
    const sharing = { tasks: [], url, commits: present, signal: ctx.stopping };
    while (!(await this.push(ctx, run, sharing))) ctx.stopping.throwIfAborted();
  }

  #missing(url: string, commits: readonly string[]): string[] {
    const known = this.#pushed.get(url);
    return commits.filter((commit) => known?.has(commit) !== true);
  }
}

function addTo(sets: Map<string, Set<string>>, url: string, commits: readonly string[]): void {
  const known = sets.get(url) ?? new Set<string>();
  sets.set(url, known);
  for (const commit of commits) known.add(commit);
  // The oldest are forgotten: to push a commit again costs little.
  for (const commit of known) {
    if (known.size <= MOST_KNOWN) return;
    known.delete(commit);
  }
}

/** Creates the repository of the server itself, where that is the one of the hosts. */
async function prepare({ home, world }: EngineContext, url: string, { objectFormat }: Mirror): Promise<void> {
  if (url !== home.exchange) return;
  if (objectFormat !== 'sha1')
    throw new AppError('REPOSITORY_UNSUPPORTED', 'hosts.git: server is not possible for repositories with SHA-256 yet');
  await openBareMirror(url, objectFormat, world);
}
