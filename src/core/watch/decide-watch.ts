import { AppError } from '../../errors.ts';
import type { WatchEvent, WatchSettings } from '../../schema/watch/watch-event.ts';
import type {
  Discussion,
  DraftReview,
  Proposal,
  RoundResult,
  WakeReason,
  WatchInput,
} from '../../schema/watch/watch-round.ts';
import { dayText } from '../view/amounts.ts';
import type { WatchState } from './watch-series.ts';

/** What a watcher sees besides its own series. */
export type WatchFacts = {
  now: number;
  head: string | null;
  pulls: Record<string, string> | undefined;
  attemptUsd: number;
};

/** Whether a round begins now, and why; else until when nothing happens if nothing else wakes the watcher, or that the series is over. */
export type NextRound = { why: WakeReason } | { until: number } | { stop: string };

/** Proposals that nobody decides on lapse after this time. */
const LAPSE_MS = 30 * 24 * 3_600_000;
/** How much of a series a prompt repeats. */
const MOST_KNOWN = 60;
const MOST_DISCUSSIONS = 5;
const MOST_MESSAGES = 12;
const MESSAGE_CHARS = 4_000;

/** Starts watching, or changes how a watched project is watched. */
export function startWatching(state: WatchState, settings: WatchSettings): WatchEvent[] {
  if (settings.minMs > settings.maxMs)
    throw new AppError('INPUT_INVALID', 'The shortest time between rounds is longer than the longest');
  const isSame = state.isActive && JSON.stringify(state.settings) === JSON.stringify(settings);
  return isSame ? [] : [{ type: 'watch.started', data: { settings } }];
}

export function stopWatching(state: WatchState, reason: string): WatchEvent[] {
  return state.isActive ? [{ type: 'watch.stopped', data: { reason } }] : [];
}

/** When the next round begins: at once for a message, not before the shortest interval for anything else, and within the day's budget. */
export function nextRound(state: WatchState, { now, head, pulls, attemptUsd }: WatchFacts): NextRound {
  const { settings } = state;
  if (settings === null) return { until: Number.POSITIVE_INFINITY };
  const { until } = settings.options;
  if (until !== undefined && now >= until) return { stop: 'the deadline is reached' };
  if (leftToday(state, now) < Math.min(attemptUsd, settings.budgetPerDay)) return { until: startOfNextDay(now) };
  const retry = retryAt(state);
  if (retry !== undefined && now < retry) return { until: retry };
  if (state.round === 0) return { why: 'start' };
  const times = [state.lookedAt + state.intervalMs];
  const open = unanswered(state);
  if (open.some(({ messages }) => (messages.at(-1)?.at ?? 0) > state.beganAt)) return { why: 'reply' };
  // A message that a round could not answer waits like everything else, so that a failure is not repeated at once.
  if (open.length > 0) times.push(state.endedAt + settings.minMs);
  const isCommit = head !== null && head !== state.head;
  const isPull = pulls !== undefined && changedPulls(state, pulls).length > 0;
  if (isCommit || isPull) times.push(state.lookedAt + settings.minMs);
  const due = Math.min(...times);
  if (now < due) return { until: due };
  return { why: isCommit ? 'commit' : isPull ? 'pull-request' : open.length > 0 ? 'reply' : 'interval' };
}

/** Records that no round could begin; the same reason is recorded again, because it decides how long to wait. */
export function failRound(state: WatchState, reason: string): WatchEvent[] {
  return state.isActive ? [{ type: 'watch.round-failed', data: { reason: reason.slice(0, 1_000) } }] : [];
}

/** When a series tries again whose round could not begin: after the shortest interval, each time twice as long, up to the longest. */
export function retryAt({ failure, settings }: WatchState): number | undefined {
  if (failure === undefined || settings === null) return undefined;
  return failure.at + Math.min(settings.minMs * 2 ** Math.min(failure.times - 1, 30), settings.maxMs);
}

/** What may still be spent on the day of a moment. */
export function leftToday({ settings, day }: WatchState, now: number): number {
  const spent = day.day === dayText(now) ? day.spentUsd : 0;
  return Math.max(0, (settings?.budgetPerDay ?? 0) - spent);
}

function startOfNextDay(now: number): number {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1).getTime();
}

/** The conversations whose last message is a person's. */
function unanswered({ discussions }: WatchState): Discussion[] {
  return discussions.filter(({ messages }) => messages.at(-1)?.by === 'person');
}

/** The pull requests that the last round has not seen at their current commit. */
export function changedPulls({ pulls: seen }: WatchState, pulls: Record<string, string>): number[] {
  return Object.entries(pulls).flatMap(([number, head]) => (seen[number] === head ? [] : [Number(number)]));
}

/** The input of the next round: what it must know, bounded. */
export function roundInput(
  state: WatchState,
  { why, pulls, seen }: { why: WakeReason; pulls: WatchInput['pulls']; seen: Record<string, string> },
): WatchInput {
  const known = [...state.proposals].sort((a, b) => b.lastAt - a.lastAt).slice(0, MOST_KNOWN);
  return {
    round: state.round + 1,
    why,
    since: state.head,
    known: known.map(({ id, title, category, file, line, status, reason }) => ({
      ...{ id, title, category, file, line, status },
      reason: reason?.slice(0, 200) ?? null,
    })),
    discussions: unanswered(state)
      .slice(-MOST_DISCUSSIONS)
      .map(({ id, messages, session }) => ({
        id,
        ...(session === undefined ? {} : { session }),
        messages: messages.slice(-MOST_MESSAGES).map((each) => ({ ...each, text: each.text.slice(0, MESSAGE_CHARS) })),
      })),
    pulls,
    seen,
  };
}

/** Records the run of a round that starts. */
export function startOfRound({ round, why }: Pick<WatchInput, 'round' | 'why'>, run: string): WatchEvent[] {
  return [{ type: 'watch.round-started', data: { round, run, why } }];
}

/** Records the result of a round, once. */
export function endOfRound(
  state: WatchState,
  end: { run: string; result: RoundResult; head: string | null; pulls?: Record<string, string>; spentUsd: number },
): WatchEvent[] {
  if (state.open?.run !== end.run) return [];
  return [{ type: 'watch.round-ended', data: { round: state.open.round, ...end } }];
}

/** Proposals that nobody decided on for long lapse; those whose run is done are done. */
export function settleProposals(
  { proposals }: WatchState,
  { now, isDone }: { now: number; isDone(run: string): boolean },
): WatchEvent[] {
  return proposals.flatMap(({ id, status, lastAt, run }): WatchEvent[] => {
    const decided = (next: 'done' | 'expired'): WatchEvent[] => [
      { type: 'watch.proposal-decided', data: { proposal: id, status: next } },
    ];
    if (status === 'new' && now - lastAt > LAPSE_MS) return decided('expired');
    return status === 'accepted' && run !== null && isDone(run) ? decided('done') : [];
  });
}

/** A person's message, in a conversation or as the first of a new one. */
export function sayTo(
  state: WatchState,
  { discussion, text }: { discussion: string | undefined; text: string },
): WatchEvent[] {
  const id = discussion ?? `d${state.counters.discussions + 1}`;
  if (discussion !== undefined && !state.discussions.some((known) => known.id === id))
    throw new AppError('INPUT_INVALID', `There is no discussion ${id}`, { discussion: id });
  return [{ type: 'watch.messaged', data: { discussion: id, text } }];
}

/** The proposal of this id, which must be open for a decision. */
export function openProposal({ proposals }: WatchState, id: string): Proposal {
  const proposal = proposals.find((each) => each.id === id);
  if (proposal === undefined) {
    const open = proposals.filter(({ status }) => status === 'new').map((each) => each.id);
    const known =
      open.length === 0 ? 'no proposal waits for a decision' : `these wait for a decision: ${open.join(', ')}`;
    throw new AppError('INPUT_INVALID', `There is no proposal ${id}; ${known}`, { proposal: id });
  }
  if (proposal.status === 'new' || proposal.status === 'expired') return proposal;
  throw new AppError('REFUSED', `Proposal ${id} is already ${proposal.status}`, { proposal: id });
}

/** Accepts a proposal that is open for a decision, as the run that implements it. */
export function acceptProposal(state: WatchState, { proposal, run }: { proposal: string; run: string }): WatchEvent[] {
  const { id } = openProposal(state, proposal);
  return [{ type: 'watch.proposal-decided', data: { proposal: id, status: 'accepted', run } }];
}

/** Rejects a proposal that is open for a decision. */
export function rejectProposal(
  state: WatchState,
  { proposal, reason }: { proposal: string; reason: string },
): WatchEvent[] {
  const { id } = openProposal(state, proposal);
  return [{ type: 'watch.proposal-decided', data: { proposal: id, status: 'rejected', reason } }];
}

/** The latest review of a pull request, which must be a draft. */
export function openReview({ reviews }: WatchState, number: number): DraftReview {
  const draft = reviews.findLast((review) => review.number === number);
  if (draft === undefined) throw new AppError('INPUT_INVALID', `There is no draft review of #${number}`, { number });
  if (draft.status === 'draft') return draft;
  throw new AppError('REFUSED', `The review of #${number} is already ${draft.status}`, { number });
}

/** Records that the draft review of a commit was posted or discarded. */
export function settleReview(
  { number, head }: Pick<DraftReview, 'number' | 'head'>,
  status: 'posted' | 'discarded',
): WatchEvent[] {
  return [{ type: 'watch.review-settled', data: { number, head, status } }];
}
