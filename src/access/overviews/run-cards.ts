import type { RunState } from '../../core/run/state.ts';
import { activityOf } from '../../core/view/activity.ts';
import {
  type AttemptActivity,
  CARD_CODEC,
  foldNotification,
  noNotification,
  type RunCard,
  type RunNotification,
  runCard,
  WAITING_EVENTS,
} from '../../core/view/overview.ts';
import { overviewStream, runStream } from '../../schema/ids.ts';
import { Usage } from '../../schema/usage.ts';
import type { Store, StoredEvent, TranscriptEntry } from '../../store/store.ts';

/** The number of stored rows that are searched for the last activity of an attempt. */
const SEARCHED_ROWS = 50;

type Activity = { at: number; activity: string | null };

/** The last activity of running attempts: read from the store once, then updated as rows are stored. */
export class LastActivity {
  readonly #activities = new Map<string, Activity>();
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Updates the attempts that were requested before; rows of other attempts are ignored. */
  update(rows: readonly TranscriptEntry[]): void {
    for (const row of rows) {
      const activity = this.#activities.get(row.attempt);
      if (activity === undefined) continue;
      activity.at = row.at;
      activity.activity = activityOf(row) ?? activity.activity;
    }
  }

  /** Drops an attempt that has ended. */
  forget(attempt: string): void {
    this.#activities.delete(attempt);
  }

  /** Drops everything when updates stop, because it would become stale. */
  forgetAll(): void {
    this.#activities.clear();
  }

  of(attempt: string): AttemptActivity {
    const activity = this.#activities.get(attempt) ?? this.#read(attempt);
    this.#activities.set(attempt, activity);
    const usage = Usage.safeParse(this.#store.usage(attempt));
    const known = usage.success && usage.data.kind === 'known' ? usage.data : undefined;
    return { ...activity, costUsd: known?.costUsd ?? null, turns: known?.turns ?? 0 };
  }

  #read(attempt: string): Activity {
    const offset = Math.max(this.#store.rowCount(attempt) - SEARCHED_ROWS, 0);
    const rows = this.#store.page({ attempt, offset, limit: SEARCHED_ROWS });
    const activity = rows.map(activityOf).findLast((what) => what !== null) ?? null;
    return { at: rows.at(-1)?.at ?? 0, activity };
  }
}

/** `keeps`: cards of ended runs are stored, so that the next process does not have to fold them. */
type CardSources = { store: Store; state: (run: string) => RunState; keeps: boolean };

type Known = { version: number; card: RunCard };

/** The list entries of runs: folded once for each version of a run, and stored for ended runs. */
export class RunCards {
  readonly #known = new Map<string, Known>();
  readonly #notifications = new Map<string, { version: number; notification: RunNotification }>();
  readonly #sources: CardSources;

  constructor(sources: CardSources) {
    this.#sources = sources;
  }

  /** The card of a run whose stream is at this version. */
  at(run: string, version: number): RunCard {
    const known = this.#known.get(run);
    if (known?.version === version) return known.card;
    const card = this.#load(run, version) ?? this.#make(run, version);
    this.#known.set(run, { version, card });
    return card;
  }

  /** Updates a run's notification from a new event, without reading its history again. */
  update(run: string, event: StoredEvent): void {
    const known = this.#notifications.get(run);
    if (known === undefined || known.version >= event.version) return;
    known.version = event.version;
    foldNotification(known.notification, event);
  }

  forget(run: string): void {
    this.#known.delete(run);
    this.#notifications.delete(run);
  }

  #load(run: string, version: number): RunCard | undefined {
    const kept = this.#sources.store.loadSnapshot(overviewStream(run), CARD_CODEC);
    return kept?.version === version && isCard(kept.state) ? kept.state : undefined;
  }

  #make(run: string, version: number): RunCard {
    const state = this.#sources.state(run);
    const card = runCard(state, this.#notificationOf(run, version));
    if (state.status.kind !== 'ended') return card;
    this.#notifications.delete(run);
    if (this.#sources.keeps && state.version === version) this.#keep(run, version, card);
    return card;
  }

  #notificationOf(run: string, version: number): RunNotification {
    const known = this.#notifications.get(run);
    if (known?.version === version) return known.notification;
    const notification = noNotification();
    for (const event of this.#sources.store.readTypes(runStream(run), WAITING_EVENTS))
      foldNotification(notification, event);
    this.#notifications.set(run, { version, notification });
    return notification;
  }

  #keep(run: string, version: number, card: RunCard): void {
    const snapshot = { stream: overviewStream(run), version, codec: CARD_CODEC, state: card };
    // A card that could not be stored is folded again.
    this.#sources.store.saveSnapshot(snapshot).catch(() => {});
  }
}

/** Checks the least that a stored card must have; its codec guarantees the rest. */
function isCard(value: unknown): value is RunCard {
  return typeof value === 'object' && value !== null && 'notification' in value;
}
