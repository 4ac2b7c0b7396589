import { hasLanded } from '../core/state.ts';
import type { RunVerdict } from '../core/verdict.ts';
import type { Hold } from '../schema/event.ts';
import type { ActiveRun, EngineContext } from './context.ts';
import { landAsPullRequest } from './land-pr.ts';
import { settleReview } from './land-review.ts';

export type Closed = { kind: 'held'; hold: Hold } | { kind: 'ended'; verdict: RunVerdict };

/** What a run that lands by pull request still does before its end, and the verdict with what came of it. */
export async function closeByPullRequest(ctx: EngineContext, run: ActiveRun, verdict: RunVerdict): Promise<Closed> {
  const { state } = run.ledger;
  if (state.start.land !== 'pr' || verdict.status === 'cancelled') return { kind: 'ended', verdict };
  if (state.start.recipe.name === 'review') {
    const end = await settleReview(ctx, run, verdict);
    if (end.kind === 'held') return end;
    return { kind: 'ended', verdict: end.note === undefined ? verdict : { ...verdict, reason: end.note } };
  }
  if (hasLanded(state)) return { kind: 'ended', verdict };
  const landing = await landAsPullRequest(ctx, run);
  if (landing.kind === 'landed') return { kind: 'ended', verdict };
  // A failure stays one, whatever came of its pull request.
  if (verdict.status !== 'failed') return landing;
  return { kind: 'ended', verdict: { ...verdict, reason: `${verdict.reason}; ${landing.hold.reason}` } };
}
