import { describe, expect, it } from 'vitest';
import type { RunState } from '../../../src/core/run/state.ts';
import { roundResult, watch } from '../../../src/recipes/watch/watch.ts';
import { WatchInput } from '../../../src/schema/watch/watch-round.ts';
import { added, attemptEnded, attempted, given, type Story, started, taskEnded } from '../../support/given.ts';

const KNOWN = { id: 'p1', title: 'The cart is slow', category: 'performance', file: 'src/cart.ts', line: 10 };
const INPUT = WatchInput.parse({
  round: 4,
  why: 'interval',
  since: 'abc',
  known: [{ ...KNOWN, status: 'rejected', reason: 'fast enough' }],
  discussions: [{ id: 'd1', messages: [{ by: 'person', text: 'Why?', at: 1 }] }],
  pulls: [{ number: 7, title: 'Faster', url: 'https://forge.example/7', head: 'h', from: 'merge', onto: 'main' }],
  seen: { 7: 'h' },
});
const proposal = (title: string, more: object = {}) => ({
  title,
  category: 'bug',
  description: '',
  file: 'src/total.ts',
  line: 3,
  evidence: 'src/total.ts:3',
  confidence: 0.9,
  ...more,
});

function next(state: RunState, input = INPUT) {
  return watch.unfold(state, input, undefined).add;
}

/** Adds what the recipe asks for, and lets those of these tasks answer that have an output. */
function answered(story: Story, outputs: Record<string, unknown>, input = INPUT): Story {
  const add = next(story.state, input);
  const events = add.flatMap(({ key }) =>
    outputs[key] === undefined
      ? [taskEnded(key, 'failed')]
      : [attempted(key), attemptEnded(key, 1, { output: outputs[key] }), taskEnded(key, 'done')],
  );
  return story.and(added(...add), ...events);
}

const LOOKED = {
  look: {
    proposals: [
      proposal('The total is wrong'),
      proposal('Totals come out wrong', { line: 4 }),
      proposal('Carts take long', { ...KNOWN, title: 'Carts take long', line: 12 }),
    ],
    summary: '',
  },
  'reply/d1': { text: 'Because of src/total.ts:3.' },
  'pull/7': {
    findings: [{ severity: 'high', title: 'Wrong', description: 'It is wrong', file: 'a.ts', line: 1 }],
    summary: 'No.',
  },
};

describe('a round of a watcher', () => {
  it('answers in the session of the answer before, and passes its own on', () => {
    const session = { agent: 'one', account: null, id: 's1' };
    const [discussion] = INPUT.discussions;
    const input = WatchInput.parse({ ...INPUT, why: 'reply', discussions: [{ ...discussion, session }] });
    const [reply] = next(given(started()).state, input);
    expect(reply).toMatchObject({ key: 'reply/d1', session });
    const ended = given(started()).and(
      added(...next(given(started()).state, input)),
      attempted('reply/d1'),
      attemptEnded('reply/d1', 1, { output: { text: 'So.' }, session: 's2' }),
      taskEnded('reply/d1', 'done'),
    );
    expect(roundResult(ended.state, input).replies).toEqual([
      { discussion: 'd1', text: 'So.', session: { ...session, id: 's2' } },
    ]);
  });

  it('looks at what changed, answers messages and drafts reviews, all of which only read', () => {
    const add = next(given(started()).state);
    expect(add.map(({ key, access, optional }) => [key, access, optional])).toEqual(
      ['look', 'reply/d1', 'pull/7'].map((key) => [key, 'read', true]),
    );
    expect(add[0]?.prompt).toContain('p1 (rejected because: fast enough): The cart is slow');
    expect(add[2]?.from).toEqual({ commit: 'merge', base: 'main' });
    const reply = next(given(started()).state, { ...INPUT, why: 'reply' });
    expect(reply.map(({ key }) => key)).not.toContain('look');
  });

  it('lets another agent confirm each new proposal; known ones and the same in other words are left out', () => {
    const looked = answered(given(started()), LOOKED);
    expect(next(looked.state).map(({ key, title, avoidsAgentOf }) => [key, title, avoidsAgentOf])).toEqual([
      ['confirm/1', 'Confirm: The total is wrong', 'look'],
    ]);
    expect(roundResult(looked.state, INPUT).proposals).toEqual([]);
    const confirmed = { 'confirm/1': { verdict: 'confirmed', evidence: 'src/total.ts:3 adds twice', confidence: 0.6 } };
    const done = answered(looked, confirmed);
    expect(next(done.state)).toEqual([]);
    expect(roundResult(done.state, INPUT)).toMatchObject({
      proposals: [{ title: 'The total is wrong', confidence: 0.6, confirmation: 'src/total.ts:3 adds twice' }],
      replies: [{ discussion: 'd1', text: 'Because of src/total.ts:3.' }],
      reviews: [{ number: 7, head: 'h', text: expect.stringContaining('**high** Wrong (a.ts:1)') }],
    });
  });

  it('shows no proposal that the second agent refutes, or does not answer about', () => {
    const looked = answered(given(started()), LOOKED);
    const refuted = answered(looked, { 'confirm/1': { verdict: 'refuted', evidence: '', confidence: 1 } });
    expect(roundResult(refuted.state, INPUT).proposals).toEqual([]);
    expect(roundResult(answered(looked, {}).state, INPUT).proposals).toEqual([]);
    const duplicate = { 'confirm/1': { verdict: 'duplicate', duplicateOf: 'p1', evidence: 'the same', confidence: 1 } };
    expect(roundResult(answered(looked, duplicate).state, INPUT).proposals).toMatchObject([{ duplicateOf: 'p1' }]);
  });

  it('does not accept a confirmation without evidence', () => {
    const looked = answered(given(started()), LOOKED);
    const { state } = looked.and(added(...next(looked.state)));
    const task = state.tasks['confirm/1'];
    if (task === undefined) throw new Error('there is no task');
    const says = (evidence: string) => watch.accept?.(task, { verdict: 'confirmed', evidence, confidence: 1 });
    expect(says('yes')).toContain('without evidence');
    expect(says('src/total.ts:3 adds twice')).toBeUndefined();
    expect(watch.accept?.(task, { verdict: 'duplicate', evidence: '', confidence: 1 })).toContain('duplicateOf');
  });
});
