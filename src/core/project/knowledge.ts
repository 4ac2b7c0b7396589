import { AppError } from '../../errors.ts';
import type { TriageDecision } from '../../schema/call.ts';
import type { KnowledgeEntry, KnowledgeEvent, KnowledgeScope, Learning } from '../../schema/coordination/knowledge.ts';

/** What an attempt received. */
type GivenKnowledge = { run: string; task: string; attempt: string; entries: string[] };

/** The knowledge of one scope. */
export type KnowledgeState = { entries: Record<string, KnowledgeEntry>; given: GivenKnowledge[] };

/** How the run of a learning ended: `open` while it has not. */
export type RunOutcome =
  | { kind: 'open' }
  /** `advice` is what a light model said about its learnings, by their ids; it cannot keep what the rules discard. */
  | { kind: 'verified'; commit: string; advice?: Readonly<Record<string, TriageDecision>> }
  | { kind: 'not-verified' };

type Recorded = { event: KnowledgeEvent; at: number };

const MOST_OF_ATTEMPT = 5;
const MOST_ENTRIES = 2_000;
const MOST_GIVEN = 20_000;
/** Two texts with this part of their words in common say the same. */
const SAME_FROM = 0.8;
/** With this part, where learnings must be removed. */
const NEARLY_SAME_FROM = 0.5;
/** With more learnings than this they are consolidated to fewer, so that it is not done again for each new one. */
const MOST_LEARNINGS = 300;
const KEPT_LEARNINGS = 240;
/** Learnings that no longer count are kept for people, up to this number. */
const MOST_ENDED = 500;

export function emptyKnowledge(): KnowledgeState {
  return { entries: {}, given: [] };
}

/** Adds the learnings of an attempt, at most five in all its calls; a repeated call adds nothing. */
export function proposeLearnings(
  state: KnowledgeState,
  {
    attempt,
    run,
    call,
    learnings,
  }: { attempt: string; run: string; call: string; learnings: (Learning & { scope: KnowledgeScope })[] },
): KnowledgeEvent[] {
  const ids = learnings.map((_, index) => `${attempt}-${call}-${index + 1}`);
  if (ids.some((id) => Object.hasOwn(state.entries, id))) return [];
  const earlier = Object.values(state.entries).filter(({ origin }) => origin?.attempt === attempt).length;
  if (earlier + learnings.length > MOST_OF_ATTEMPT)
    throw new AppError(
      'REFUSED',
      `An attempt reports at most ${MOST_OF_ATTEMPT} learnings; it has reported ${earlier}`,
    );
  if (Object.keys(state.entries).length + learnings.length > MOST_ENTRIES)
    throw new AppError(
      'REFUSED',
      `There are already ${MOST_ENTRIES} entries; a person removes some with manyhands kb rm`,
    );
  return learnings.map((learning, index) => ({
    type: 'knowledge.proposed',
    data: { ...learning, id: ids[index] ?? '', run, attempt },
  }));
}

/** Writes an entry of a person, or changes one. */
export function writeEntry(
  state: KnowledgeState,
  entry: Learning & { id: string; scope: KnowledgeScope; origin?: KnowledgeEntry['origin'] },
): KnowledgeEvent[] {
  if (!Object.hasOwn(state.entries, entry.id) && Object.keys(state.entries).length >= MOST_ENTRIES)
    throw new AppError('REFUSED', `There are already ${MOST_ENTRIES} entries; remove some with manyhands kb rm`);
  return [{ type: 'knowledge.written', data: entry }];
}

/** Removes an entry. */
export function removeEntry(id: string): KnowledgeEvent[] {
  return [{ type: 'knowledge.removed', data: { id } }];
}

/** Records the entries that an attempt receives, once. */
export function giveEntries(state: KnowledgeState, given: GivenKnowledge): KnowledgeEvent[] {
  if (state.given.some(({ attempt }) => attempt === given.attempt)) return [];
  return [{ type: 'knowledge.given', data: given }];
}

/** Decides what becomes of learnings whose run has ended: only those of verified runs are kept, by rules and by what a light model said. */
export function triage(state: KnowledgeState, outcomeOf: (run: string) => RunOutcome): KnowledgeEvent[] {
  const kept = new Map(
    Object.values(state.entries)
      .filter(isKept)
      .map((entry) => [entry.id, entry]),
  );
  const events: KnowledgeEvent[] = [];
  const decide = (
    id: string,
    status: 'kept' | 'waiting' | 'discarded' | 'superseded',
    reason: string | null,
    commit: string | null = null,
  ) => events.push({ type: 'knowledge.triaged', data: { id, status, reason, commit } });
  for (const entry of Object.values(state.entries)) {
    if (entry.status !== 'proposed' || entry.origin === null) continue;
    const outcome = outcomeOf(entry.origin.run);
    if (outcome.kind === 'open') continue;
    if (outcome.kind === 'not-verified') {
      decide(entry.id, 'discarded', 'its run was not verified');
      continue;
    }
    const others = [...kept.values()];
    const same = others.find((other) => similarity(entry.text, other.text) >= SAME_FROM);
    if (same !== undefined) {
      decide(entry.id, 'discarded', `it says the same as ${same.id}`);
      continue;
    }
    const advice = outcome.advice?.[entry.id];
    if (advice?.decision === 'discard') {
      decide(entry.id, 'discarded', `a light model: ${advice.because || 'not worth keeping'}`);
      continue;
    }
    const older = others.find(
      (other) =>
        other.origin !== null &&
        ((advice?.decision === 'supersede' && advice.other === other.id) ||
          wordsOf(other.title).join(' ') === wordsOf(entry.title).join(' ')),
    );
    if (older !== undefined) {
      decide(older.id, 'superseded', entry.id);
      kept.delete(older.id);
    }
    const isForAll = entry.scope === 'everywhere' || advice?.decision === 'everywhere';
    decide(entry.id, isForAll ? 'waiting' : 'kept', null, outcome.commit);
    kept.set(entry.id, entry);
  }
  return events;
}

/**
 * Removes learnings where there are too many: of two that say nearly the same the newer is kept, then those that agents
 * received least, the oldest first, are discarded; discarded ones are removed in the end. What people wrote stays.
 */
export function consolidate({ entries, given }: KnowledgeState): KnowledgeEvent[] {
  const all = Object.values(entries);
  const ended = all.filter(({ status, origin }) => origin !== null && ['discarded', 'superseded'].includes(status));
  const removed: KnowledgeEvent[] =
    ended.length <= MOST_ENDED
      ? []
      : ended
          .sort((a, b) => a.at - b.at)
          .slice(0, ended.length - MOST_ENDED / 2)
          .map(({ id }) => ({ type: 'knowledge.removed', data: { id } }));
  const kept = all.filter((entry) => isKept(entry) && entry.origin !== null).sort((a, b) => b.at - a.at);
  if (kept.length <= MOST_LEARNINGS) return removed;
  const left: KnowledgeEntry[] = [];
  const events: KnowledgeEvent[] = [...removed];
  const end = ({ id, origin }: KnowledgeEntry, status: 'superseded' | 'discarded', reason: string) =>
    events.push({ type: 'knowledge.triaged', data: { id, status, reason, commit: origin?.commit ?? null } });
  for (const entry of kept) {
    const newer = left.find((other) => similarity(entry.text, other.text) >= NEARLY_SAME_FROM);
    if (newer === undefined) left.push(entry);
    else end(entry, 'superseded', newer.id);
  }
  const times = new Map<string, number>();
  for (const id of given.flatMap((each) => each.entries)) times.set(id, (times.get(id) ?? 0) + 1);
  const leastUsed = left.sort((a, b) => (times.get(a.id) ?? 0) - (times.get(b.id) ?? 0) || a.at - b.at);
  for (const entry of leastUsed.slice(0, Math.max(left.length - KEPT_LEARNINGS, 0)))
    end(entry, 'discarded', 'consolidated: agents received it least');
  return events;
}

/** Folds one event into the knowledge of a scope. */
export function evolveKnowledge(state: KnowledgeState | undefined, { event, at }: Recorded): KnowledgeState {
  const next = state ?? emptyKnowledge();
  const { type, data } = event;
  switch (type) {
    case 'knowledge.proposed': {
      const { run, attempt, ...entry } = data;
      next.entries[data.id] = {
        ...entry,
        status: 'proposed',
        reason: null,
        origin: { run, attempt, commit: null },
        at,
      };
      return next;
    }
    case 'knowledge.triaged': {
      const entry = next.entries[data.id];
      if (entry === undefined) return next;
      const origin = entry.origin === null ? null : { ...entry.origin, commit: data.commit };
      next.entries[data.id] = { ...entry, status: data.status, reason: data.reason, origin };
      return next;
    }
    case 'knowledge.written':
      next.entries[data.id] = {
        ...data,
        status: 'kept',
        reason: null,
        origin: data.origin ?? next.entries[data.id]?.origin ?? null,
        at,
      };
      return next;
    case 'knowledge.removed':
      delete next.entries[data.id];
      return next;
    case 'knowledge.given':
      next.given.push(data);
      if (next.given.length > 2 * MOST_GIVEN) next.given = next.given.slice(-MOST_GIVEN);
      return next;
  }
}

/** Entries that agents get, the best match for a text first: by the words they share, rare ones more, and newer before older. */
export function bestEntries(entries: readonly KnowledgeEntry[], text: string): KnowledgeEntry[] {
  const candidates = entries
    .filter(isKept)
    .map((entry) => ({ entry, words: new Set(wordsOf(`${entry.title} ${entry.text} ${entry.tags.join(' ')}`)) }));
  const query = [...new Set(wordsOf(text))];
  const weights = new Map(
    query.map((word) => {
      const count = candidates.filter(({ words }) => words.has(word)).length;
      return [word, count === 0 ? 0 : Math.log(1 + candidates.length / count)];
    }),
  );
  return candidates
    .map(({ entry, words }) => ({
      entry,
      score: query.reduce((sum, word) => sum + (words.has(word) ? (weights.get(word) ?? 0) : 0), 0),
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || b.entry.at - a.entry.at)
    .map(({ entry }) => entry);
}

function isKept({ status }: KnowledgeEntry): boolean {
  return status === 'kept';
}

function similarity(a: string, b: string): number {
  const [left, right] = [new Set(wordsOf(a)), new Set(wordsOf(b))];
  const shared = [...left].filter((word) => right.has(word)).length;
  return shared / Math.max(left.size + right.size - shared, 1);
}

/** Words of at least three letters or digits, in lower case. */
function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
}
