import { existsSync } from 'node:fs';
import { commitsForHost } from '../../core/attempt/order.ts';
import { isOpen, type RunState } from '../../core/run/state.ts';
import { AppError } from '../../errors.ts';
import { type Mirror, missingCommits } from '../../git/mirror/mirror.ts';
import { openStoredMirror } from '../../git/mirror/mirror-config.ts';
import { fetchAttempts, fetchCommits, type Transfer, type Transferred } from '../../git/push/transfer.ts';
import { readRef, writeRef } from '../../git/refs/mirror-refs.ts';
import type { RunStart, SavedWork } from '../../schema/event.ts';
import { exchangeUrl, SERVER_REPOSITORY } from '../hosts/exchange.ts';
import { runRef } from '../land/land-tasks.ts';
import type { EngineContext } from '../loop/context.ts';

type Fetch = () => Promise<Transferred>;

const FETCH_AGAIN_MS = 5_000;
/** As long as commits to a database that does not answer wait. */
const GIVE_UP_MS = 600_000;

/**
 * Fetches what this machine lacks of a run from the repository of the hosts, where an earlier leader pushed everything
 * that an event names, and waits for a repository that does not answer; returns what of `needed` is not there either.
 */
export async function recoverFromExchange(
  ctx: Pick<EngineContext, 'home' | 'hosts' | 'world' | 'stopping' | 'activities'>,
  mirror: Mirror,
  state: RunState,
  needed: readonly string[],
): Promise<string[]> {
  const { world, stopping } = ctx;
  const url = exchangeUrl(ctx, state.start.config);
  if (url === undefined) return [...needed];
  if (ctx.hosts !== undefined && isOfServer(state.start)) await requireOwnRun(mirror, state, url);
  const what = { kind: 'mirror' as const, what: 'fetches its commits from the repository of the hosts' };
  using step = ctx.activities.begin({ folder: state.start.project.root }, what);
  const giveUpAt = world.now() + GIVE_UP_MS;
  const untilReachable = async (fetch: Fetch) => {
    for (let fetched = await fetch(); isOutage(fetched); fetched = await fetch()) {
      if (world.now() >= giveUpAt)
        throw new AppError('GIT_FAILED', `The repository of the hosts (hosts.git) cannot be used: ${fetched.detail}`);
      step.update({ kind: 'waiting', what: `waits for the repository of the hosts (hosts.git): ${fetched.detail}` });
      await world.sleep(FETCH_AGAIN_MS, stopping);
    }
  };
  return fetchRun({ mirror, url, signal: stopping }, state, { needed, perform: untilReachable });
}

/** As `recoverFromExchange`, for who only reads: what cannot be fetched now is missing. */
export async function fetchResults(ctx: Pick<EngineContext, 'home'>, mirror: Mirror, state: RunState): Promise<void> {
  const url = exchangeUrl(ctx, state.start.config);
  const needed = [state.start.base.commit, state.tip.commit];
  if (url !== undefined) await fetchRun({ mirror, url }, state, { needed, perform: (fetch) => fetch() });
}

type FetchRun = { needed: readonly string[]; perform: (fetch: Fetch) => Promise<unknown> };

/** Fetches the commits of a run, and gives saved work its refs again. */
async function fetchRun(transfer: Transfer, state: RunState, { needed, perform }: FetchRun): Promise<string[]> {
  const { mirror } = transfer;
  const saved = savedWorkOf(state);
  const useful = new Set([...needed, ...startCommits(state), ...saved.map(({ commit }) => commit)]);
  const missing = await missingCommits(mirror, [...useful]);
  if (missing.length === 0) return [];
  if (isOfServer(state.start) && !existsSync(transfer.url)) throw ofOtherServer(state.start);
  await perform(() => fetchAttempts(transfer, [state.start.run]));
  // One by one: a commit that is not there must not keep the others away.
  for (const commit of await missingCommits(mirror, missing)) await perform(() => fetchCommits(transfer, [commit]));
  const lost = await missingCommits(mirror, missing);
  for (const { ref, commit } of saved)
    if (missing.includes(commit) && !lost.includes(commit)) await writeRef(mirror, { ref, to: commit, expected: null });
  return needed.filter((commit) => lost.includes(commit));
}

/** Another server does not continue a run, even if its commits were found elsewhere: its hosts use the server that started it. */
async function requireOwnRun(mirror: Mirror, state: RunState, url: string): Promise<void> {
  const { start, tip } = state;
  if ((await readRef(mirror, runRef(start.run))) !== undefined) return;
  // It was not opened before, or the mirror was deleted; the repository has what every event of it names.
  const named = [start.base.commit, tip.commit, ...savedWorkOf(state).map(({ commit }) => commit)];
  const own = await openStoredMirror(url);
  if (own === undefined || (await missingCommits(own, named)).length > 0) throw ofOtherServer(start);
}

function isOfServer({ config }: RunStart): boolean {
  return config.hosts.git === SERVER_REPOSITORY;
}

function ofOtherServer({ run }: RunStart): AppError {
  const message = `Run ${run} belongs to the server that started it: its commits are there only, because hosts.git is server`;
  return new AppError('GIT_FAILED', message, { run });
}

/** Git reports a ref that is not there like a repository that is not there. */
function isOutage(fetched: Transferred): fetched is Exclude<Transferred, { kind: 'done' }> {
  return fetched.kind !== 'done' && fetched.reason !== 'rejected' && !/couldn't find remote ref/.test(fetched.detail);
}

function savedWorkOf({ tasks }: RunState): SavedWork[] {
  return Object.values(tasks).flatMap(({ attempts }) => attempts.flatMap(({ ended }) => ended?.saved ?? []));
}

/** What the next attempts of open tasks begin from. */
function startCommits(state: RunState): string[] {
  return Object.values(state.tasks).flatMap((task) => (isOpen(task) ? commitsForHost(state, task.spec.key) : []));
}
