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

/** `keeps`: cards of ended runs are stored, so that the next process need not fold them. */
type CardSources = { store: Store; state: (run: string) => RunState; keeps: boolean };

type Known = { version: number; card: RunCard };

/** What lists show of runs: folded once for each version of a run, and kept on disk for those that ended. */
export class RunCards {
  readonly #known = new Map<string, Known>();
  readonly #news = new Map<string, { version: number; news: RunNotification }>();
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

  /** Takes note of an event of a run, so that its history need not be asked again. */
  hear(run: string, event: StoredEvent): void {
    const heard = this.#news.get(run);
    if (heard === undefined || heard.version >= event.version) return;
    heard.version = event.version;
    foldNotification(heard.news, event);
  }

  forget(run: string): void {
    this.#known.delete(run);
    this.#news.delete(run);
  }

  #load(run: string, version: number): RunCard | undefined {
    const kept = this.#sources.store.loadSnapshot(overviewStream(run), CARD_CODEC);
    return kept?.version === version && isCard(kept.state) ? kept.state : undefined;
  }

  #make(run: string, version: number): RunCard {
    const state = this.#sources.state(run);
    const card = runCard(state, this.#newsOf(run, version));
    if (state.status.kind !== 'ended') return card;
    this.#news.delete(run);
    if (this.#sources.keeps && state.version === version) this.#keep(run, version, card);
    return card;
  }

  #newsOf(run: string, version: number): RunNotification {
    const heard = this.#news.get(run);
    if (heard?.version === version) return heard.news;
    const news = noNotification();
    for (const event of this.#sources.store.readTypes(runStream(run), WAITING_EVENTS)) foldNotification(news, event);
    this.#news.set(run, { version, news });
    return news;
  }

  #keep(run: string, version: number, card: RunCard): void {
    const snapshot = { stream: overviewStream(run), version, codec: CARD_CODEC, state: card };
    // What could not be kept is made again.
    this.#sources.store.saveSnapshot(snapshot).catch(() => {});
  }
}

/** What carries our codec has our shape. */
function isCard(value: unknown): value is RunCard {
  return typeof value === 'object' && value !== null && 'news' in value;
}
