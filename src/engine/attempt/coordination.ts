import { type LocksState, releaseLocks } from '../../core/project/locks.ts';
import { type LockEvent, locksStream } from '../../schema/coordination/lock.ts';
import { Ledgers } from '../../store/ledgers.ts';
import type { Store, Write } from '../../store/store.ts';
import type { World } from '../../world.ts';
import { LOCKS_FOLD } from '../loop/ledger.ts';
import { type AttemptTools, AttemptWaits } from './attempt-tools.ts';
import { KnowledgeBase } from './knowledge-base.ts';

/** How the attempts of all runs work together: their tools, which of them wait in one, the locks on files, and what they learned. */
export class Coordination {
  /** Undefined where this engine offers no tools. */
  readonly tools: AttemptTools | undefined;
  readonly waits: AttemptWaits;
  /** The locks of every project, by stream. */
  readonly locks: Ledgers<LocksState, LockEvent>;
  readonly knowledge: KnowledgeBase;

  constructor({ store, world, tools }: { store: Store; world: World; tools?: AttemptTools }, onChange: () => void) {
    this.tools = tools;
    this.waits = new AttemptWaits(onChange);
    this.locks = new Ledgers({ store, world, fold: LOCKS_FOLD });
    this.knowledge = new KnowledgeBase({ store, world });
  }

  /** What releases the locks of an attempt, in the transaction that records its end. */
  releasesOf(attempt: string, project: string): Write[] {
    const stream = locksStream(project);
    const events = releaseLocks(this.locks.state(stream), attempt);
    return events.length === 0 ? [] : [{ stream, expected: -1, events }];
  }
}
