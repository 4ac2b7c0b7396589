import { describe, expect, it } from 'vitest';
import { endAttempt, startAttempt } from '../../../src/core/attempt/decide-attempt.ts';
import { answerQuestion, askQuestion, openQuestions } from '../../../src/core/attempt/decide-question.ts';
import { attention } from '../../../src/core/view/attention.ts';
import { compactRun } from '../../../src/core/view/compact-run.ts';
import { added, given, spec, started, T0 } from '../../support/given.ts';

const CLAIM = {
  task: 'job/1',
  agent: 'one',
  because: 'first',
  base: 'base',
  reservation: { costUsd: 0, tokens: 0, turns: 0 },
};
const QUESTION = { task: 'job/1', attempt: 1, call: 'call-1', now: T0, text: 'Which database?' };
const END = { task: 'job/1', attempt: 1, usage: { kind: 'none' as const }, summary: 'I wait', session: 's1', now: T0 };
const ANSWER = { question: 'q1-1', answer: 'SQLite', isAwaited: false, now: T0 };

const running = () => given(started(), added(spec('job/1'))).when((state) => startAttempt(state, CLAIM));
const asking = () => running().when((state) => askQuestion(state, QUESTION));

describe('a question of an agent', () => {
  it('is asked once, however often the call is repeated', () => {
    expect(asking().events).toMatchObject([{ type: 'task.asked', data: { question: { id: 'q1-1' } } }]);
    expect(asking().when((state) => askQuestion(state, QUESTION)).events).toEqual([]);
    expect(asking().when((state) => askQuestion(state, { ...QUESTION, call: 'call-2' })).events).toEqual([]);
  });

  it('is answered in the call that waits for it', () => {
    const answered = asking().when((state) => answerQuestion(state, { ...ANSWER, isAwaited: true }));
    expect(answered.events.map(({ type }) => type)).toEqual(['task.answered']);
    expect(openQuestions(answered.state)).toEqual([]);
    expect(() => answered.when((state) => answerQuestion(state, ANSWER))).toThrow('was answered');
  });

  it('lets the task wait when the turn ended without an answer, although nothing was changed', () => {
    const failure = { kind: 'no-change' as const, message: 'nothing' };
    const waiting = asking().when((state) => endAttempt(state, { ...END, failure }));
    expect(waiting.events.map(({ type }) => type)).toEqual(['attempt.ended', 'task.blocked']);
    expect(attention(waiting.state)).toMatchObject([{ what: 'question', question: 'q1-1', task: 'job/1' }]);
    expect(compactRun(waiting.state, [], undefined).recommended).toMatchObject({ action: 'answer' });
  });

  it('continues the task in its session with the answer', () => {
    const waiting = asking().when((state) => endAttempt(state, END));
    const after = waiting.when((state) => answerQuestion(state, ANSWER));
    expect(after.events.map(({ type }) => type)).toEqual(['task.answered', 'task.messaged', 'task.retrying']);
    const task = after.state.tasks['job/1'];
    expect(task).toMatchObject({ resume: true, phase: { status: 'ready' }, counted: 0 });
    expect(task?.messages.at(-1)?.message).toContain('SQLite');
  });

  it('does not hide that the agent crashed', () => {
    const failure = { kind: 'crashed' as const, message: 'gone' };
    const follow = { action: 'retry' as const, delayMs: 0, resume: false, free: false };
    const after = asking().when((state) => endAttempt(state, { ...END, failure, follow }));
    expect(after.events.map(({ type }) => type)).toEqual(['attempt.ended', 'task.retrying']);
  });

  it('is asked at most twenty times by a task', () => {
    let story = running();
    for (let index = 0; index < 20; index += 1)
      story = story.when((state) => askQuestion(state, { ...QUESTION, call: `${index}`, text: `${index}?` }));
    expect(() => story.when((state) => askQuestion(state, { ...QUESTION, call: 'x', text: 'more' }))).toThrow(
      '20 questions',
    );
  });
});
