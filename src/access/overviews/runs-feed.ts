import { filingOf, type ProjectState } from '../../core/project/project-state.ts';
import type { RunState } from '../../core/run/state.ts';
import { liveAttempts, NO_ACTIVITY, overviewOf, type RunActivity, type RunCard } from '../../core/view/overview.ts';
import { attemptId, runStream } from '../../schema/ids.ts';
import type { RunOverview, RunsItem } from '../../schema/overview.ts';
import type { Store, StoredEvent, TranscriptEntry } from '../../store/store.ts';
import type { World } from '../../world.ts';
import type { ProjectLedgers } from '../project-ledgers.ts';
import { LastActivity, RunCards } from './run-cards.ts';

/** A subscriber to all runs: it gets each changed run once, however slowly it reads. */
class FeedReader {
  readonly #changed = new Set<string>();
  readonly #only: string | undefined;
  #failure: { error: unknown } | undefined;
  #more = Promise.withResolvers<void>();

  /** With a run, other runs do not concern it. */
  constructor(run: string | undefined) {
    this.#only = run;
  }

  notify(run: string): void {
    if (this.#only !== undefined && run !== this.#only) return;
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

  /** The runs that changed, in the order of their changes. */
  take(): string[] {
    return [...this.#changed];
  }

  /** Removes a run whose latest state is being sent. */
  drop(run: string): void {
    this.#changed.delete(run);
  }
}

/** The engine of this process: the states of its active runs, its failure, and a signal when a run becomes active or inactive. */
type LiveRuns = {
  state(run: string): RunState | undefined;
  failed: Promise<never>;
  onActive(listener: (run: string) => void): void;
  activity(run: string): RunActivity;
  onActivity(listener: (run: string) => void): void;
};

export type FeedSources = {
  store: Store;
  world: World;
  projects: Pick<ProjectLedgers, 'state'>;
  state: (run: string) => RunState;
  live: LiveRuns | undefined;
};

/** Which runs are watched: those that changed after a position, at first at most `limit` ended ones, of one project or of all; or one run. */
type WatchedRuns = { after: number; limit: number; project?: string; run?: string | undefined };

/** The minimum interval between updates about agent activity per run; events of a run are sent at once. */
const ACTIVITY_EVERY_MS = 500;
/** A client that missed more events than this gets the whole list. */
const MOST_BEHIND = 5_000;

/** The list entries of all runs: one subscription to the store for all readers, and per reader a set of changed runs instead of a backlog. */
export class RunsFeed {
  readonly #sources: FeedSources;
  readonly #cards: RunCards;
  readonly #lastActivity: LastActivity;
  readonly #readers = new Set<FeedReader>();
  readonly #overviews = new Map<string, RunOverview>();
  readonly #runsWithActivity = new Set<string>();
  readonly #openedAt: number;
  #alarm: (() => void) | undefined;
  #readingSince: number | undefined;

  constructor(sources: FeedSources) {
    const { store, state, live } = sources;
    this.#sources = sources;
    this.#openedAt = sources.world.now();
    this.#cards = new RunCards({ store, state, keeps: live !== undefined });
    this.#lastActivity = new LastActivity(store);
    if (live === undefined) return;
    store.onAppend((events) => this.#onEvents(events));
    store.onTranscript((rows) => this.#onRows(rows));
    live.onActive((run) => this.#change(run));
    live.onActivity((run) => this.#changeSoon([run]));
    live.failed.catch((error: unknown) => {
      for (const reader of this.#readers) reader.fail(error);
    });
  }

  all(): RunOverview[] {
    const projectOf = this.#projects();
    return this.#newestFirst().map(({ run, version }) => this.#overview(run, version, projectOf));
  }

  of(run: string): RunOverview {
    return this.#overview(run, this.#sources.store.streams(runStream(run))[0]?.version ?? 0);
  }

  async *watch(from: WatchedRuns, signal: AbortSignal): AsyncGenerator<RunsItem> {
    const { after } = from;
    const { store, live } = this.#sources;
    const reader = new FeedReader(from.run);
    this.#readers.add(reader);
    try {
      let sentPosition = store.position();
      for (const run of this.#first(from)) {
        if (signal.aborted) return;
        yield this.#item(run, after);
      }
      yield { position: sentPosition, ready: true };
      while (live !== undefined && (await reader.changed(signal))) {
        const position = store.position();
        const runs = reader.take();
        for (const [index, run] of runs.entries()) {
          if (signal.aborted) return;
          reader.drop(run);
          yield this.#item(run, index === runs.length - 1 ? position : sentPosition);
        }
        sentPosition = position;
      }
    } finally {
      this.#readers.delete(reader);
      if (this.#readers.size === 0) this.#stopUpdates();
    }
  }

  #item(run: string, position: number): RunsItem {
    const version = this.#sources.store.streams(runStream(run))[0]?.version;
    return version === undefined ? { position, removed: run } : { position, run: this.#overview(run, version) };
  }

  /** All open runs and the newest ended ones; for a reconnecting client, those that changed since and those with running tasks. */
  #first({ after, limit, project, run: only }: WatchedRuns): string[] {
    if (only !== undefined) return [only];
    const changed = after === 0 ? undefined : this.#changedSince(after);
    let ended = 0;
    const known = this.#newestFirst().filter(({ run, version }) => {
      const card = this.#cards.at(run, version);
      if (project !== undefined && card.projectId !== project) return false;
      if (changed !== undefined) return changed.has(run) || (card.counts.running ?? 0) > 0;
      return card.endedAt === null || ended++ < limit;
    });
    const here = new Set(known.map(({ run }) => run));
    return [...here, ...[...(changed ?? [])].filter((run) => !here.has(run))];
  }

  #changedSince(after: number): Set<string> | undefined {
    const { store } = this.#sources;
    if (after > store.position()) return undefined;
    const events = store.readAll(after, MOST_BEHIND + 1);
    if (events.length > MOST_BEHIND) return undefined;
    return new Set(events.flatMap((event) => this.#runsOf(event)));
  }

  #newestFirst(): { run: string; version: number }[] {
    return this.#sources.store
      .streams('run/')
      .sort((a, b) => b.firstAt - a.firstAt)
      .map(({ stream, version }) => ({ run: stream.slice('run/'.length), version }));
  }

  #overview(run: string, version: number, projectOf = this.#projects()): RunOverview {
    const card = this.#cards.at(run, version);
    const state = this.#sources.live?.state(run);
    const known = state === undefined ? undefined : this.#overviews.get(run);
    if (known !== undefined && known.version === card.version) return known;
    const overview = overviewOf(card, this.#marksOf(run, projectOf(card.projectId)), this.#liveOf(card, state));
    if (state !== undefined && this.#readers.size > 0) this.#overviews.set(run, overview);
    return overview;
  }

  #marksOf(run: string, project: ProjectState) {
    this.#readingSince ??= this.#sources.store.readingSince();
    return { filing: filingOf(project, run), read: project.read[run], readingSince: this.#readingSince };
  }

  /** Reads each project once, however many runs it has. */
  #projects(): (project: string) => ProjectState {
    const known = new Map<string, ProjectState>();
    return (project) => {
      const state = known.get(project) ?? this.#sources.projects.state(project);
      known.set(project, state);
      return state;
    };
  }

  /** A run of this engine whose only event is its start is about to become active. */
  #liveOf({ version, startedAt }: RunCard, state: RunState | undefined): Parameters<typeof overviewOf>[2] {
    const isOurs = this.#sources.live !== undefined && Date.parse(startedAt) >= this.#openedAt;
    const isStarting = version === 1 && isOurs;
    if (state === undefined) return { carried: isStarting, attempts: [], count: 0, ...NO_ACTIVITY };
    const { run } = state.start;
    const live = liveAttempts(state, (task, attempt) => this.#lastActivity.of(attemptId(run, task.ordinal, attempt)));
    return { carried: true, ...live, ...(this.#sources.live?.activity(run) ?? NO_ACTIVITY) };
  }

  #onEvents(events: readonly StoredEvent[]): void {
    for (const event of events) {
      const run = event.stream.startsWith('run/') ? event.stream.slice('run/'.length) : undefined;
      if (run !== undefined) this.#cards.update(run, event);
      if (run !== undefined && event.type === 'run.ended') this.#cards.at(run, event.version);
      if (run !== undefined && event.type === 'attempt.ended') this.#endAttempt(run, event.data);
      if (event.type === 'run.archived') for (const gone of this.#runsOf(event)) this.#cards.forget(gone);
      for (const changed of this.#runsOf(event)) this.#change(changed);
    }
  }

  /** The runs whose overview an event may change. */
  #runsOf({ stream, type, data }: StoredEvent): string[] {
    if (stream.startsWith('run/')) return [stream.slice('run/'.length)];
    if (!stream.startsWith('project/') || typeof data !== 'object' || data === null) return [];
    if ('run' in data) return [String(data.run)];
    if (!type.startsWith('collection.')) return [];
    const { filed } = this.#sources.projects.state(stream.slice('project/'.length));
    return Object.keys(filed);
  }

  #endAttempt(run: string, data: unknown): void {
    if (typeof data !== 'object' || data === null || !('task' in data) || !('attempt' in data)) return;
    const ordinal = this.#sources.live?.state(run)?.tasks[String(data.task)]?.ordinal;
    if (ordinal !== undefined) this.#lastActivity.forget(attemptId(run, ordinal, Number(data.attempt)));
  }

  #onRows(rows: readonly TranscriptEntry[]): void {
    if (this.#readers.size === 0) return;
    this.#lastActivity.update(rows);
    this.#changeSoon(rows.map(({ attempt }) => attempt.slice(0, attempt.indexOf('-'))));
  }

  /** What is done for a run changes often: readers get it at most twice a second. */
  #changeSoon(runs: readonly string[]): void {
    if (this.#readers.size === 0) return;
    for (const run of runs) this.#runsWithActivity.add(run);
    const { world } = this.#sources;
    this.#alarm ??= world.alarm(world.now() + ACTIVITY_EVERY_MS, () => {
      this.#alarm = undefined;
      for (const run of this.#runsWithActivity) this.#change(run);
      this.#runsWithActivity.clear();
    });
  }

  #change(run: string): void {
    this.#overviews.delete(run);
    for (const reader of this.#readers) reader.notify(run);
  }

  #stopUpdates(): void {
    this.#alarm?.();
    this.#alarm = undefined;
    this.#runsWithActivity.clear();
    this.#overviews.clear();
    this.#lastActivity.forgetAll();
  }
}
