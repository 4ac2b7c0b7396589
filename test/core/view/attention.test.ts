import { describe, expect, it } from 'vitest';
import { attention, isStuck } from '../../../src/core/view/attention.ts';
import { added, attempted, blocked, given, spec, started, T0, worked } from '../../support/given.ts';

const HOLD = { what: 'guard' as const, reason: 'it changes the test script', files: ['package.json'] };
const two = given(started(), added(spec('a'), spec('b')));
const held = two.and(...worked('a'), { type: 'task.held', data: { task: 'a', hold: HOLD, commit: 'c' } });

describe('what waits for a person', () => {
  it('is nothing while all goes well', () => {
    expect(attention(two.state)).toEqual([]);
  });

  it('names the plan with the commands that approve, change and reject it', () => {
    const story = two.and({ type: 'run.held', data: { hold: { what: 'plan', reason: 'two tasks', files: [] } } });
    expect(attention(story.state)).toEqual([
      {
        task: null,
        what: 'plan',
        hold: expect.stringMatching(/^h\d+$/),
        reason: 'two tasks',
        files: [],
        nextStep: 'manyhands approve r0000001',
        alternatives: [
          { command: 'manyhands plan edit r0000001', purpose: 'change the plan' },
          {
            command: "manyhands reject r0000001 --hold h3 --reason 'what to plan differently'",
            purpose: 'plan again',
          },
        ],
      },
    ]);
  });

  it('names every option of a hold with its command', () => {
    const options = [
      { id: 'continue', label: 'continue with as many cycles again' },
      { id: 'replan', label: 'plan again' },
      { id: 'finish', label: 'end with what has landed' },
    ];
    const hold = { what: 'review' as const, reason: 'three cycles', files: [], options };
    const [waiting] = attention(two.and({ type: 'run.held', data: { hold } }).state);
    expect(waiting?.nextStep).toBe('manyhands approve r0000001 --option continue');
    expect(waiting?.alternatives).toEqual([
      { command: 'manyhands approve r0000001 --option replan', purpose: 'plan again' },
      { command: 'manyhands approve r0000001 --option finish', purpose: 'end with what has landed' },
      { command: "manyhands reject r0000001 --hold h3 --reason 'why not'", purpose: 'end the run' },
    ]);
    const [plan] = attention(two.and({ type: 'run.held', data: { hold: { ...hold, what: 'plan' } } }).state);
    expect(plan?.alternatives?.map(({ purpose }) => purpose)).toEqual([
      'plan again',
      'end with what has landed',
      'plan again',
    ]);
  });

  it('names each held and each blocked task with the next step', () => {
    const story = held.and(attempted('b'), blocked('b'));
    expect(attention(story.state)).toEqual([
      {
        task: 'a',
        label: 'a',
        what: 'held',
        hold: expect.stringMatching(/^h\d+$/),
        reason: HOLD.reason,
        files: HOLD.files,
        nextStep: `manyhands diff r0000001 a, then manyhands approve r0000001 a; to allow it in later runs: manyhands config set guards.allow '["package.json"]'`,
        alternatives: [
          {
            command: "manyhands reject r0000001 a --reason 'what to change'",
            purpose: 'send it back to its agent',
          },
        ],
      },
      { task: 'b', label: 'b', what: 'blocked', reason: 'the disk is full', files: [], nextStep: 'make room' },
    ]);
  });

  it('prints the setting that allows what the guard holds as a command that a shell reads back', () => {
    const files = ["it's [id]/a.yml"];
    const data = { task: 'a', hold: { ...HOLD, files }, commit: 'c' };
    const [waiting] = attention(two.and(...worked('a'), { type: 'task.held', data }).state);
    expect(waiting?.nextStep).toContain(`guards.allow '["it'\\''s \\\\[id\\\\]/a.yml"]'`);
  });
});

describe('a run is stuck', () => {
  it('only when nothing else can continue', () => {
    expect(isStuck(held.state)).toBe(false);
    expect(isStuck(held.and(attempted('b')).state)).toBe(false);
    expect(isStuck(held.and(attempted('b'), blocked('b')).state)).toBe(true);
  });

  it('when the analysis or the resolver that others wait for is blocked', () => {
    const analysing = given(
      started(),
      added(spec('a')),
      attempted('a'),
      added(spec('analyze/1.1', { analyzes: 'a' })),
      {
        type: 'task.retrying',
        data: { task: 'a', at: T0, counted: true, resume: false, evidence: '', analysis: 'analyze/1.1' },
      },
    );
    expect(isStuck(analysing.state)).toBe(false);
    expect(isStuck(analysing.and(attempted('analyze/1.1'), blocked('analyze/1.1')).state)).toBe(true);
  });

  it('when it is held itself and nothing is running any more', () => {
    const plan = { type: 'run.held' as const, data: { hold: { ...HOLD, what: 'plan' as const } } };
    expect(isStuck(two.and(attempted('a'), plan).state)).toBe(false);
    expect(isStuck(two.and(plan).state)).toBe(true);
  });

  it('never while it is being cancelled or after its end', () => {
    const spend = { costUsd: 0, tokens: 0, turns: 0 };
    expect(isStuck(held.and({ type: 'run.cancelling', data: { reason: '' } }).state)).toBe(false);
    expect(isStuck(held.and({ type: 'run.ended', data: { status: 'failed', reason: '', spend } }).state)).toBe(false);
  });
});
