import { consolidate, type KnowledgeState, type RunOutcome, triage } from '../../core/project/knowledge.ts';
import type { RunState } from '../../core/run/state.ts';
import { BY_ENGINE } from '../../schema/actor.ts';
import { TriageAnswer, type TriageDecision } from '../../schema/call.ts';
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
    const decide = (now: KnowledgeState) => {
      const triaged = triage(now, (run) => this.#outcomeOf(run));
      return triaged.length > 0 ? triaged : consolidate(now);
    };
    if (decide(state).length === 0) return state;
    crashpoint('knowledge.triaging');
    await this.ledgers.update(stream, decide, BY_ENGINE);
    crashpoint('knowledge.triaged');
    // What was kept now may be so much that entries are consolidated.
    return this.current(stream);
  }

  #outcomeOf(run: string): RunOutcome {
    if (this.#store.head(runStream(run)) === undefined) return { kind: 'not-verified' };
    const { status, tip, calls } = loadRun(this.#store, runStream(run));
    if (status.kind !== 'ended') return { kind: 'open' };
    if (status.status !== 'done') return { kind: 'not-verified' };
    return { kind: 'verified', commit: tip.commit, advice: adviceIn(calls) };
  }
}

/** What light models said about the learnings of a run, by the ids of these. */
function adviceIn(calls: RunState['calls']): Record<string, TriageDecision> {
  const answers = Object.values(calls).flatMap(({ kind, ended }) => (kind === 'triage' ? [ended?.answer] : []));
  const decisions = answers.flatMap((answer) => TriageAnswer.safeParse(answer).data?.decisions ?? []);
  return Object.fromEntries(decisions.map((decision) => [decision.id, decision]));
}
