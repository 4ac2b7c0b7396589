import { describe, expect, it } from 'vitest';
import {
  bestEntries,
  consolidate,
  emptyKnowledge,
  evolveKnowledge,
  type KnowledgeState,
  proposeLearnings,
  type RunOutcome,
  triage,
  writeEntry,
} from '../../../src/core/project/knowledge.ts';
import type { KnowledgeEvent, KnowledgeScope } from '../../../src/schema/coordination/knowledge.ts';

const VERIFIED: RunOutcome = { kind: 'verified', commit: 'c1' };

function learning(title: string, text = `${title} is a fact that the next agent should know`) {
  return { title, text, tags: [], scope: 'project' as KnowledgeScope };
}

function given(...events: KnowledgeEvent[]): KnowledgeState {
  return events.reduce((state, event, at) => evolveKnowledge(state, { event, at }), emptyKnowledge());
}

function proposed(call: string, learnings: ReturnType<typeof learning>[], state = emptyKnowledge()): KnowledgeEvent[] {
  return proposeLearnings(state, { attempt: 'run-1-1', run: 'run', call, learnings });
}

const statuses = (state: KnowledgeState) =>
  Object.values(state.entries).map(({ title, status, reason }) => [title, status, reason]);

describe('learnings of an attempt', () => {
  it('are at most five, and a repeated call adds none', () => {
    const first = proposed('a', [learning('one'), learning('two'), learning('three')]);
    const state = given(...first);
    expect(proposed('a', [learning('one')], state)).toEqual([]);
    expect(proposed('b', [learning('four'), learning('five')], state)).toHaveLength(2);
    expect(() => proposed('b', [learning('four'), learning('five'), learning('six')], state)).toThrow('at most 5');
  });

  it('wait for the end of their run and count only if it is verified', () => {
    const state = given(...proposed('a', [learning('one')]));
    expect(triage(state, () => ({ kind: 'open' }))).toEqual([]);
    expect(statuses(given(...proposed('a', [learning('one')]), ...triage(state, () => VERIFIED)))).toEqual([
      ['one', 'kept', null],
    ]);
    const failed = triage(state, () => ({ kind: 'not-verified' }));
    expect(statuses(given(...proposed('a', [learning('one')]), ...failed))[0]?.slice(1)).toEqual([
      'discarded',
      'its run was not verified',
    ]);
  });

  it('are discarded where they repeat an entry, supersede one of the same title, and wait where they should count everywhere', () => {
    const events = [
      ...writeEntry(emptyKnowledge(), {
        ...learning('ports', 'Tests must listen on port zero, never on a fixed one'),
        id: 'p',
      }),
      ...proposed('a', [
        learning('also ports', 'Tests must listen on port zero, never on a fixed one!'),
        learning('Cache', 'The cache of the parser lives in the folder .cache and survives tests'),
        {
          ...learning('git', 'Never rebase inside a workspace because the mirror refuses it'),
          scope: 'everywhere' as const,
        },
      ]),
    ];
    const triaged = [...events, ...triage(given(...events), () => VERIFIED)];
    const newer = proposeLearnings(given(...triaged), {
      attempt: 'run-2-1',
      run: 'run2',
      call: 'b',
      learnings: [learning('cache', 'Since version two the parser keeps nothing on disk at all')],
    });
    const all = [...triaged, ...newer];
    const state = given(...all, ...triage(given(...all), () => VERIFIED));
    expect(statuses(state).map(([title, status]) => [title, status])).toEqual([
      ['ports', 'kept'],
      ['also ports', 'discarded'],
      ['Cache', 'superseded'],
      ['git', 'waiting'],
      ['cache', 'kept'],
    ]);
    expect(bestEntries(Object.values(state.entries), 'rebase the parser').map(({ title }) => title)).toEqual(['cache']);
  });

  it('are found by the words that they share with a task, rare ones first', () => {
    const entries = ['alpha parser', 'beta parser', 'gamma lexer'].map((title, index) => ({
      ...learning(title, `${title} and more words that follow here`),
      id: String(index),
    }));
    const state = given(...entries.flatMap((entry) => writeEntry(emptyKnowledge(), entry)));
    const titles = (text: string) => bestEntries(Object.values(state.entries), text).map(({ title }) => title);
    expect(titles('Make the beta parser faster')).toEqual(['beta parser', 'alpha parser']);
    expect(titles('unrelated')).toEqual([]);
  });
});

describe('what a light model says about learnings', () => {
  const text = 'The cache of the parser lives in the folder .cache and survives tests';
  const events = [
    ...writeEntry(emptyKnowledge(), { ...learning('ports'), id: 'person' }),
    ...proposed('a', [learning('Cache', text)]),
  ];
  const first = 'run-1-1-a-1';
  const decided = (decision: 'keep' | 'everywhere' | 'discard' | 'supersede', other?: string) => {
    const start = [...events, ...triage(given(...events), () => VERIFIED)];
    const later = proposeLearnings(given(...start), {
      attempt: 'run2-1-1',
      run: 'run2',
      call: 'b',
      learnings: [learning('Where tests leave files', 'Nothing is left behind by the parser since version two')],
    });
    const all = [...start, ...later];
    const advice = {
      'run2-1-1-b-1': { id: 'run2-1-1-b-1', decision, because: 'so', ...(other === undefined ? {} : { other }) },
    };
    const state = given(...all, ...triage(given(...all), () => ({ kind: 'verified', commit: 'c2', advice })));
    return Object.values(state.entries).map(({ status }) => status);
  };

  it('discards one, proposes it for all projects, or lets it supersede another learning', () => {
    expect(decided('keep')).toEqual(['kept', 'kept', 'kept']);
    expect(decided('discard')).toEqual(['kept', 'kept', 'discarded']);
    expect(decided('everywhere')).toEqual(['kept', 'kept', 'waiting']);
    expect(decided('supersede', first)).toEqual(['kept', 'superseded', 'kept']);
  });

  it('supersedes nothing that a person wrote, and nothing that is unknown', () => {
    expect(decided('supersede', 'person')).toEqual(['kept', 'kept', 'kept']);
    expect(decided('supersede', 'nothing')).toEqual(['kept', 'kept', 'kept']);
  });

  it('cannot keep what the rules discard', () => {
    const advice = { [first]: { id: first, decision: 'keep' as const, because: '' } };
    const again = [...events, ...writeEntry(emptyKnowledge(), { ...learning('Cache', text), id: 'same' })];
    const triaged = triage(given(...again), () => ({ kind: 'verified', commit: 'c', advice }));
    expect(triaged).toMatchObject([{ data: { id: first, status: 'discarded' } }]);
  });
});

describe('learnings that have grown', () => {
  const many = (count: number, text: (index: number) => string) =>
    Array.from({ length: count }, (_, index): KnowledgeEvent[] => [
      {
        type: 'knowledge.proposed',
        data: { ...learning(`fact ${index}`, text(index)), id: `e${index}`, run: 'run', attempt: `run-${index}-1` },
      },
      { type: 'knowledge.triaged', data: { id: `e${index}`, status: 'kept', reason: null, commit: 'c' } },
    ]).flat();
  const unique = (index: number) => `word${index} other${index} third${index} fourth${index} with the same rest`;
  const count = (state: KnowledgeState, status: string) =>
    Object.values(state.entries).filter((entry) => entry.status === status).length;

  it('are left alone while they are few', () => {
    expect(consolidate(given(...many(300, unique)))).toEqual([]);
  });

  it('are reduced: nearly the same first, then what agents received least; what people wrote and what is used stays', () => {
    const written = writeEntry(emptyKnowledge(), { ...learning('mine'), id: 'person' });
    const used: KnowledgeEvent = {
      type: 'knowledge.given',
      data: { run: 'r', task: 't', attempt: 'a', entries: ['e0'] },
    };
    const events = [...written, ...many(310, (index) => (index < 20 ? unique(0) : unique(index))), used];
    const before = given(...events);
    const decided = consolidate(before);
    const after = given(...events, ...decided);
    expect(count(after, 'superseded')).toBe(19);
    expect(count(after, 'kept')).toBe(241);
    expect(after.entries.person?.status).toBe('kept');
    expect(consolidate(after)).toEqual([]);
  });

  it('that no longer count are removed in the end, the oldest first', () => {
    let state = given(...many(900, unique));
    for (let rounds = 0; consolidate(state).length > 0; rounds += 1) {
      expect(rounds).toBeLessThan(5);
      state = consolidate(state).reduce((now, event) => evolveKnowledge(now, { event, at: 1 }), state);
    }
    expect([count(state, 'kept'), count(state, 'discarded')]).toEqual([240, 250]);
    expect(state.entries.e899?.status).toBe('kept');
    expect(state.entries.e0).toBeUndefined();
  });
});
