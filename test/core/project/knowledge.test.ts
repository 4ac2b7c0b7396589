import { describe, expect, it } from 'vitest';
import {
  bestEntries,
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
