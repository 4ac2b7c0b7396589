import { type KnowledgeState, type RunOutcome, triage } from '../../core/project/knowledge.ts';
import { BY_ENGINE } from '../../schema/actor.ts';
import type { KnowledgeEvent } from '../../schema/coordination/knowledge.ts';
import { runStream } from '../../schema/ids.ts';
import { Ledgers } from '../../store/ledgers.ts';
import type { Store } from '../../store/store.ts';
import { crashpoint, type World } from '../../world.ts';
import { KNOWLEDGE_FOLD, loadRun } from '../loop/ledger.ts';

/** The knowledge of every scope; learnings are triaged when it is read after the end of their run. */
export class KnowledgeBase {
  readonly ledgers: Ledgers<KnowledgeState, KnowledgeEvent>;
  readonly #store: Store;

  constructor({ store, world }: { store: Store; world: World }) {
    this.#store = store;
    this.ledgers = new Ledgers({ store, world, fold: KNOWLEDGE_FOLD });
  }

  /** The knowledge of a stream, after every learning that can be triaged was. */
  async current(stream: string): Promise<KnowledgeState> {
    const state = this.ledgers.state(stream);
    if (triage(state, (run) => this.#outcomeOf(run)).length === 0) return state;
    crashpoint('knowledge.triaging');
    const triaged = await this.ledgers.update(stream, (now) => triage(now, (run) => this.#outcomeOf(run)), BY_ENGINE);
    crashpoint('knowledge.triaged');
    return triaged;
  }

  #outcomeOf(run: string): RunOutcome {
    if (this.#store.head(runStream(run)) === undefined) return { kind: 'not-verified' };
    const { status, tip } = loadRun(this.#store, runStream(run));
    if (status.kind !== 'ended') return { kind: 'open' };
    return status.status === 'done' ? { kind: 'verified', commit: tip.commit } : { kind: 'not-verified' };
  }
}
