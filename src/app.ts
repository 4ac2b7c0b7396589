import { AttemptTerminals } from './access/attempt-terminals.ts';
import { Confirmations } from './access/confirmations.ts';
import { RunsFeed } from './access/overviews/runs-feed.ts';
import { ProjectLedgers } from './access/project-ledgers.ts';
import { RunCharges } from './access/run-charges.ts';
import { RunReader } from './access/run-reader.ts';
import type { LocksState } from './core/project/locks.ts';
import type { NotesState } from './core/project/notes.ts';
import type { WatchState } from './core/watch/watch-series.ts';
import { KnowledgeBase } from './engine/attempt/knowledge-base.ts';
import type { Implementations } from './engine/loop/context.ts';
import type { RunControl } from './engine/loop/control-runs.ts';
import type { Engine } from './engine/loop/engine.ts';
import { LOCKS_FOLD, NOTES_FOLD, WATCH_FOLD } from './engine/loop/ledger.ts';
import type { Home } from './home.ts';
import type { LockEvent } from './schema/coordination/lock.ts';
import type { NoteEvent } from './schema/coordination/note.ts';
import type { WatchEvent } from './schema/watch/watch-event.ts';
import { Ledgers } from './store/ledgers.ts';
import type { Store } from './store/store.ts';
import type { World } from './world.ts';

/** What exists in this process: everything that operations use. */
export type App = {
  readonly home: Home;
  readonly env: NodeJS.ProcessEnv;
  readonly world: World;
  readonly store: Store;
  /** Loads the agents, gates, recipes, forges and so on that the engine works with. */
  readonly implementations: () => Promise<Implementations>;
  readonly runs: RunReader;
  readonly overviews: RunsFeed;
  readonly charges: RunCharges;
  readonly projects: ProjectLedgers;
  readonly terminals: AttemptTerminals;
  /** One-time codes of decisions, where the settings want them. */
  readonly confirmations: Confirmations;
  /** The notes of every scope, by stream. */
  readonly notes: Ledgers<NotesState, NoteEvent>;
  /** The locks on files of every project, by stream. */
  readonly locks: Ledgers<LocksState, LockEvent>;
  /** What agents learned and people wrote down. */
  readonly knowledge: KnowledgeBase;
  /** The series of rounds that watch projects, by stream. */
  readonly watches: Ledgers<WatchState, WatchEvent>;
  /** The way to change runs, where this process is the engine. */
  readonly control: RunControl | undefined;
};

type Sources = Pick<App, 'home' | 'env' | 'world' | 'store'>;

/** The app of a process; `own` is its engine, without which it only reads. */
export function createApp(sources: Sources, own?: { engine: Engine; control: RunControl }): App {
  const { home, world, store } = sources;
  const runs = new RunReader(store, own?.engine);
  const projects = new ProjectLedgers(store, world);
  const live = own === undefined ? undefined : liveRuns(own.engine);
  return {
    ...sources,
    implementations: async () => (await import('./implementations.ts')).chooseImplementations(sources.env),
    runs,
    overviews: new RunsFeed({ store, world, projects, state: (run) => runs.state(run), live }),
    charges: new RunCharges(runs),
    projects,
    terminals: new AttemptTerminals(home, world),
    confirmations: new Confirmations(world),
    notes: new Ledgers({ store, world, fold: NOTES_FOLD }),
    locks: own?.engine.coordination.locks ?? new Ledgers({ store, world, fold: LOCKS_FOLD }),
    knowledge: own?.engine.coordination.knowledge ?? new KnowledgeBase({ store, world }),
    watches: new Ledgers({ store, world, fold: WATCH_FOLD }),
    control: own?.control,
  };
}

function liveRuns({ runs, failed, activities }: Engine) {
  return {
    state: (run: string) => runs.get(run)?.ledger.state,
    failed,
    onActive: (listener: (run: string) => void) => runs.onChange(listener),
    activity: (run: string) => activities.of(run),
    onActivity: (listener: (run: string) => void) => activities.onChange(listener),
  };
}
