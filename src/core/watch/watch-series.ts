import type { WatchEvent, WatchSettings } from '../../schema/watch/watch-event.ts';
import type {
  Discussion,
  DraftReview,
  FoundProposal,
  Proposal,
  RoundResult,
  WakeReason,
} from '../../schema/watch/watch-round.ts';
import { dayText, moneyText } from '../view/amounts.ts';
import { isSameProposal } from './same-proposal.ts';

/** What is true about the series of a project; everything in it is bounded. */
export type WatchState = {
  settings: WatchSettings | null;
  isActive: boolean;
  round: number;
  open: { round: number; run: string; why: WakeReason } | null;
  /** The commit and the heads of the pull requests that the last round saw. */
  head: string | null;
  pulls: Record<string, string>;
  intervalMs: number;
  /** When the last round began and ended, and when the last one ended that looked at the code. */
  beganAt: number;
  endedAt: number;
  lookedAt: number;
  proposals: Proposal[];
  discussions: Discussion[];
  reviews: DraftReview[];
  counters: { proposals: number; discussions: number };
  day: WatchDay;
  summaries: { day: string; text: string }[];
  /** Why no round could begin, how often in a row, and when last; absent when one did. */
  failure?: { reason: string; times: number; at: number };
};

/** What happened on a day. */
export type WatchDay = { day: string; rounds: number; spentUsd: number; lines: string[] };

const MOST_PROPOSALS = 300;
const MOST_DISCUSSIONS = 30;
const MOST_MESSAGES = 30;
const MOST_REVIEWS = 30;
const MOST_SUMMARIES = 30;
const MOST_LINES = 40;

export function emptySeries(): WatchState {
  return {
    settings: null,
    isActive: false,
    round: 0,
    open: null,
    head: null,
    pulls: {},
    intervalMs: 0,
    beganAt: 0,
    endedAt: 0,
    lookedAt: 0,
    proposals: [],
    discussions: [],
    reviews: [],
    counters: { proposals: 0, discussions: 0 },
    day: { day: '', rounds: 0, spentUsd: 0, lines: [] },
    summaries: [],
  };
}

/** The state after the event; changes the given state in place. */
export function evolveSeries(state: WatchState, event: WatchEvent, at: number): WatchState {
  beginDay(state, at);
  switch (event.type) {
    case 'watch.started':
      state.settings = event.data.settings;
      state.isActive = true;
      state.intervalMs = event.data.settings.minMs;
      delete state.failure;
      return state;
    case 'watch.round-failed':
      state.failure = { reason: event.data.reason, times: (state.failure?.times ?? 0) + 1, at };
      return state;
    case 'watch.stopped':
      state.isActive = false;
      return state;
    case 'watch.round-started':
      state.open = event.data;
      state.round = event.data.round;
      state.beganAt = at;
      delete state.failure;
      return state;
    case 'watch.round-ended':
      return endRound(state, event, at);
    case 'watch.messaged':
    case 'watch.said':
      say(state, event.data.discussion, { by: 'person', text: event.data.text, at });
      return state;
    case 'watch.proposal-decided': {
      const { proposal: id, status, reason = null, run } = event.data;
      const proposal = state.proposals.find((each) => each.id === id);
      if (proposal === undefined) return state;
      Object.assign(proposal, { status, lastAt: at, reason: reason ?? proposal.reason, run: run ?? proposal.run });
      note(state, `${id} ${status}: ${proposal.title}`);
      return state;
    }
    case 'watch.review-settled': {
      const review = state.reviews.find(({ number, head }) => number === event.data.number && head === event.data.head);
      if (review !== undefined) review.status = event.data.status;
      return state;
    }
  }
}

function endRound(
  state: WatchState,
  { data }: Extract<WatchEvent, { type: 'watch.round-ended' }>,
  at: number,
): WatchState {
  const { result, head, pulls, spentUsd, round } = data;
  const settings = state.settings ?? { minMs: 0, maxMs: 0 };
  const before = state.proposals.length;
  for (const found of result.proposals) addProposal(state, found, { round, at });
  const found = state.proposals.length - before + result.reviews.length;
  for (const { discussion, text, session } of result.replies) {
    say(state, discussion, { by: 'agent', text, at });
    const known = state.discussions.find(({ id }) => id === discussion);
    if (known !== undefined && session !== undefined) known.session = session;
  }
  for (const review of result.reviews) addReview(state, review, at);
  state.open = null;
  if (pulls !== undefined) state.pulls = pulls;
  state.endedAt = at;
  if (head !== null) {
    state.head = head;
    state.lookedAt = at;
    state.intervalMs = nextInterval(state.intervalMs, found, settings);
  }
  state.day.rounds += 1;
  state.day.spentUsd = Math.round((state.day.spentUsd + spentUsd) * 1e6) / 1e6;
  state.proposals = trimmed(state.proposals);
  return state;
}

/** Half of the interval after a round that found something, else twice as long, within the limits. */
function nextInterval(ms: number, found: number, { minMs, maxMs }: Pick<WatchSettings, 'minMs' | 'maxMs'>): number {
  return Math.min(maxMs, Math.max(minMs, found > 0 ? ms / 2 : ms * 2));
}

/** A duplicate, also in other words or by the judgement of the second agent, is merged into the known proposal. */
function addProposal(
  state: WatchState,
  { duplicateOf, confirmation, ...found }: RoundResult['proposals'][number],
  { round, at }: { round: number; at: number },
): void {
  const known =
    state.proposals.find(({ id }) => id === duplicateOf) ??
    state.proposals.find((other) => isSameProposal(other, found));
  if (known !== undefined) {
    known.seen += 1;
    known.lastAt = at;
    known.confidence = Math.max(known.confidence, found.confidence);
    return;
  }
  state.counters.proposals += 1;
  const id = `p${state.counters.proposals}`;
  state.proposals.push({
    ...found,
    id,
    status: 'new',
    confirmation,
    reason: null,
    run: null,
    seen: 1,
    round,
    at,
    lastAt: at,
  });
  note(state, `${id} new: ${found.title} (${found.file}:${found.line})`);
}

function addReview(state: WatchState, review: RoundResult['reviews'][number], at: number): void {
  const others = state.reviews.filter(({ number, status }) => number !== review.number || status !== 'draft');
  state.reviews = [...others, { ...review, status: 'draft' as const, at }].slice(-MOST_REVIEWS);
  note(state, `review of #${review.number} drafted: ${review.title}`);
}

function say(state: WatchState, id: string, message: Discussion['messages'][number]): void {
  const known = state.discussions.find((discussion) => discussion.id === id);
  const messages = [...(known?.messages ?? []), message].slice(-MOST_MESSAGES);
  if (known === undefined) state.counters.discussions += 1;
  const others = state.discussions.filter((discussion) => discussion.id !== id);
  state.discussions = [...others, { ...known, id, messages }].slice(-MOST_DISCUSSIONS);
  if (message.by === 'agent') note(state, `${id} answered`);
}

/** Rejected proposals are remembered longest: what is over is dropped first. */
function trimmed(proposals: Proposal[]): Proposal[] {
  const order = ['done', 'expired', 'rejected', 'accepted', 'new'];
  let excess = proposals.length - MOST_PROPOSALS;
  const dropped = new Set<string>();
  for (const status of order) {
    for (const proposal of proposals) {
      if (excess <= 0) break;
      if (proposal.status !== status) continue;
      dropped.add(proposal.id);
      excess -= 1;
    }
  }
  return dropped.size === 0 ? proposals : proposals.filter(({ id }) => !dropped.has(id));
}

/** Whether a found proposal is already known, also in other words; a rejected one stays rejected. */
export function knownAs(
  known: readonly Pick<Proposal, 'id' | 'title' | 'category' | 'file' | 'line'>[],
  found: FoundProposal,
): string | undefined {
  return known.find((other) => isSameProposal(other, found))?.id;
}

function note({ day }: WatchState, line: string): void {
  day.lines = [...day.lines, line].slice(-MOST_LINES);
}

/** At the first event of a day, the day before becomes a summary. */
function beginDay(state: WatchState, at: number): void {
  const day = dayText(at);
  if (state.day.day === day) return;
  if (state.day.day !== '' && state.day.rounds + state.day.lines.length > 0)
    state.summaries = [{ day: state.day.day, text: summaryOf(state.day) }, ...state.summaries].slice(0, MOST_SUMMARIES);
  state.day = { day, rounds: 0, spentUsd: 0, lines: [] };
}

/** A day as a person reads it. */
export function summaryOf({ rounds, spentUsd, lines }: WatchDay): string {
  const count = `${rounds} ${rounds === 1 ? 'round' : 'rounds'}, ${moneyText(spentUsd)}`;
  return [count, ...(lines.length === 0 ? ['nothing new'] : lines)].join('\n');
}
