import type { App } from '../../app.ts';
import { cancelRun } from '../../core/run/decide-run.ts';
import {
  changedPulls,
  endOfRound,
  failRound,
  leftToday,
  nextRound,
  retryAt,
  roundInput,
  settleProposals,
  startOfRound,
  stopWatching,
} from '../../core/watch/decide-watch.ts';
import { openProject } from '../../engine/start/open-run.ts';
import { messageOf } from '../../errors.ts';
import { showFile } from '../../git/read/diff.ts';
import { inspectRepository } from '../../git/read/repository.ts';
import { watchHead } from '../../git/read/watch-head.ts';
import { roundResult } from '../../recipes/watch/watch.ts';
import type { Origin } from '../../schema/actor.ts';
import { watchStream } from '../../schema/ids.ts';
import { type RoundResult, type WakeReason, WatchInput } from '../../schema/watch/watch-round.ts';
import { isStoreFailure } from '../../store/ledger.ts';
import { crashpoint } from '../../world.ts';
import { settled } from '../batches/run-batch.ts';
import { type ProjectRef, requireControl } from '../find-run.ts';
import { answerOf, forgeOf } from '../pull-requests/project-forge.ts';
import { prepareReview } from '../pull-requests/review-pull-request.ts';
import { beginRun } from '../runs/start-run.ts';

/** A project that this engine watches. */
type Watched = { project: ProjectRef; stream: string; origin: Origin; signal: AbortSignal };
/** Why a round is due, with the open pull requests where the forge could be asked. */
type DueRound = { why: WakeReason; pulls: Record<string, string> | undefined };

/** Pull requests that one round drafts reviews of. */
const MOST_PULLS = 3;

/** Watches all projects whose series are active; for an engine that stays. */
export async function resumeWatches(app: App, origin: Origin): Promise<void> {
  for (const { stream } of app.store.streams('watch/')) {
    const { isActive, settings } = app.watches.state(stream);
    if (!isActive || settings === null) continue;
    runWatch(app, { id: stream.slice('watch/'.length), root: settings.options.dir }, origin);
  }
}

/**
 * Runs the rounds of a project one after the other, concurrently with other work, until it is no longer watched or the
 * engine starts nothing new. A round and its run are recorded together, so that a restart neither loses nor repeats one.
 */
export function runWatch(app: App, project: ProjectRef, origin: Origin): void {
  const { watches, draining, track } = requireControl(app);
  if (watches.has(project.id)) return;
  watches.add(project.id);
  const watched = { project, stream: watchStream(project.id), origin, signal: draining };
  track.call(
    requireControl(app),
    runRounds(app, watched).finally(() => watches.delete(project.id)),
  );
}

async function runRounds(app: App, watched: Watched): Promise<void> {
  const { stream, origin, signal } = watched;
  try {
    while (!signal.aborted && app.watches.state(stream).isActive) {
      try {
        const { open } = app.watches.state(stream);
        if (open !== null) await finishRound(app, watched, open.run);
        else {
          const due = await waitUntilDue(app, watched);
          if (due !== undefined) await startRound(app, watched, due);
        }
      } catch (error) {
        // An engine that is stopping starts nothing more: the next one continues the series.
        if (signal.aborted || isStoreFailure(error)) throw error;
        crashpoint('watch.failing');
        await app.watches.update(stream, (state) => failRound(state, messageOf(error)), origin);
        crashpoint('watch.failed');
        await waitToRetry(app, watched);
      }
    }
  } catch (error) {
    if (signal.aborted) return;
    await app.watches.update(stream, (state) => stopWatching(state, messageOf(error)), origin).catch(() => {});
  }
}

/** Waits until the series tries again, or something happens to it, such as its end. */
async function waitToRetry(app: App, { stream, signal }: Watched): Promise<void> {
  const changed = Promise.withResolvers<void>();
  const wake = () => changed.resolve();
  const stopStore = app.store.onAppend((events) => {
    if (events.some((event) => event.stream === stream)) wake();
  });
  signal.addEventListener('abort', wake, { once: true });
  const cancel = app.world.alarm(retryAt(app.watches.state(stream)) ?? app.world.now(), wake);
  if (!signal.aborted) await changed.promise;
  cancel();
  stopStore();
  signal.removeEventListener('abort', wake);
}

/** Waits for a message, a commit, a changed pull request, or the next interval; undefined when there is nothing more to wait for. */
async function waitUntilDue(app: App, { project, stream, origin, signal }: Watched): Promise<DueRound | undefined> {
  const { gitDir } = await inspectRepository(project.root, signal);
  let changed = Promise.withResolvers<void>();
  const wake = () => changed.resolve();
  const stopStore = app.store.onAppend((events) => {
    // The end of a run may be that of an accepted proposal.
    if (events.some((event) => event.stream === stream || event.type === 'run.ended')) wake();
  });
  const stopHead = watchHead(gitDir, wake);
  signal.addEventListener('abort', wake, { once: true });
  try {
    for (let pulls: DueRound['pulls'], pullsAt = 0; ; ) {
      changed = Promise.withResolvers<void>();
      const now = app.world.now();
      const ended = (run: string) => app.runs.ids().includes(run) && isDone(app, run);
      const state = await app.watches.update(stream, (each) => settleProposals(each, { now, isDone: ended }), origin);
      if (signal.aborted || !state.isActive || state.settings === null) return undefined;
      const { minMs, pullRequests, options } = state.settings;
      if (pullRequests && now >= pullsAt + minMs) {
        pulls = await openPulls(app, project.root, signal);
        pullsAt = now;
      }
      const { head } = await inspectRepository(project.root, signal);
      const { budget } = await (await app.implementations()).config(project.root);
      const due = nextRound(state, { now, head, pulls, attemptUsd: budget.attempt });
      if ('why' in due) return { why: due.why, pulls };
      if ('stop' in due) {
        await app.watches.update(stream, (each) => stopWatching(each, due.stop), origin);
        return undefined;
      }
      const until = Math.min(due.until, options.until ?? due.until, pulls === undefined ? due.until : pullsAt + minMs);
      const cancel = app.world.alarm(until, wake);
      await changed.promise;
      cancel();
    }
  } finally {
    stopStore();
    stopHead();
    signal.removeEventListener('abort', wake);
  }
}

function isDone(app: App, run: string): boolean {
  const { status } = app.runs.state(run);
  return status.kind === 'ended' && (status.status === 'done' || status.status === 'unverified');
}

/** The open pull requests with their commits, without those of forks; undefined where no forge can be asked now. */
async function openPulls(app: App, dir: string, signal: AbortSignal): Promise<Record<string, string> | undefined> {
  try {
    const { forge } = await forgeOf(app, dir, signal);
    const pulls = await answerOf(app, forge, { ask: () => forge.list(signal), signal });
    return Object.fromEntries(
      pulls.filter(({ fork }) => !fork).map(({ number, head }) => [String(number), head.commit]),
    );
  } catch {
    // A project without a forge, or one that is not reachable now, is watched without its pull requests.
    return undefined;
  }
}

async function startRound(app: App, { project, stream, origin, signal }: Watched, due: DueRound): Promise<void> {
  const state = app.watches.state(stream);
  if (state.settings === null) return;
  const changed = due.pulls === undefined ? [] : changedPulls(state, due.pulls);
  const chosen = changed.slice(0, MOST_PULLS);
  const pulls = await preparedPulls(app, { dir: project.root, numbers: chosen, signal }, due.pulls ?? {});
  const later = new Set(changed.slice(MOST_PULLS).map(String));
  const seen = Object.fromEntries(Object.entries(due.pulls ?? state.pulls).filter(([number]) => !later.has(number)));
  const input = roundInput(state, { why: due.why, pulls, seen });
  const left = leftToday(state, app.world.now());
  const { options } = state.settings;
  crashpoint('watch.starting');
  await beginRun(
    app,
    { recipe: 'watch', input, options: { ...options, budget: Math.min(left, options.budget ?? left) } },
    { origin, watch: (run) => startOfRound(input, run) },
  );
  crashpoint('watch.started');
}

/** The pull requests that this round reviews, fetched and merged with their base. */
async function preparedPulls(
  app: App,
  { dir, numbers, signal }: { dir: string; numbers: readonly number[]; signal: AbortSignal },
  heads: Record<string, string>,
): Promise<WatchInput['pulls']> {
  const prepared: WatchInput['pulls'] = [];
  for (const number of numbers) {
    // One that cannot be fetched is reviewed when it changes again.
    const review = await prepareReview(app, { dir, number }, signal).catch(() => undefined);
    if (review === undefined) continue;
    const { title, url } = review.input.pull;
    prepared.push({ number, title, url, head: heads[number] ?? '', from: review.base, onto: review.input.onto });
  }
  return prepared;
}

/** Waits for the run of a round, and records its result; one that waits for a person is ended. */
async function finishRound(app: App, { project, stream, origin, signal }: Watched, run: string): Promise<void> {
  const control = requireControl(app);
  if (app.runs.state(run).status.kind !== 'ended') await control.resume(run);
  await settled(app, run, signal);
  if (signal.aborted) return;
  if (app.runs.state(run).status.kind !== 'ended') {
    await control.cancel(run, (state) => cancelRun(state, 'a watch round does not wait for a person'), origin);
    await settled(app, run, signal);
  }
  const state = app.runs.state(run);
  const input = WatchInput.parse(state.start.input);
  const head = state.start.base.commit;
  const result = await withShownPlaces(app, project, { head, result: roundResult(state, input) });
  crashpoint('watch.ending');
  const looked = input.why === 'reply' ? null : head;
  const end = { run, result, head: looked, pulls: input.seen, spentUsd: state.spent.costUsd };
  await app.watches.update(stream, (series) => endOfRound(series, end), origin);
  crashpoint('watch.ended');
}

/** Without proposals whose file and line do not exist in the commit that the round looked at. */
async function withShownPlaces(
  app: App,
  project: ProjectRef,
  { head, result }: { head: string; result: RoundResult },
): Promise<RoundResult> {
  if (result.proposals.length === 0) return result;
  const { mirror } = await openProject(app, project);
  const proposals = [];
  for (const proposal of result.proposals) {
    const text = await showFile(mirror, head, proposal.file);
    if (text !== undefined && text.split('\n').length >= proposal.line) proposals.push(proposal);
  }
  return { ...result, proposals };
}
