import type { RunState } from '../../core/run/state.ts';
import {
  CARD_CODEC,
  foldNotification,
  noNotification,
  type RunCard,
  type RunNotification,
  runCard,
  WAITING_EVENTS,
} from '../../core/view/overview.ts';
import { overviewStream, runStream } from '../../schema/ids.ts';
import type { Store, StoredEvent } from '../../store/store.ts';

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
  return typeof value === 'object' && value !== null && 'news' in value;
}
