import { prFacts, prText } from '../core/pr-text.ts';
import { PrText } from '../schema/call.ts';
import type { ActiveRun, EngineContext } from './context.ts';
import { type Answered, smallCall } from './small-call.ts';

/** The title and text of a run's pull request; asked once for each tip of the run branch. */
export function pullRequestText(ctx: EngineContext, run: ActiveRun): Promise<Answered<PrText>> {
  const { state } = run.ledger;
  const facts = prFacts(state);
  const text = prText(facts);
  return smallCall(ctx, run, {
    kind: 'pr-text',
    name: state.tip.commit,
    input: `${text.title}\n\n${text.body}`,
    schema: PrText,
    rules: () => text,
  });
}
