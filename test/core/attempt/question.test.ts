import { describe, expect, it } from 'vitest';
import { endAttempt, startAttempt } from '../../../src/core/attempt/decide-attempt.ts';
import {
  answerQuestion,
  askQuestion,
  deliverAnswer,
  openQuestions,
  questionOfCall,
} from '../../../src/core/attempt/decide-question.ts';
import { cancelRun } from '../../../src/core/run/decide-run.ts';
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
const ANSWER = { question: 'q1-1', answer: 'SQLite', now: T0 };

const running = () => given(started(), added(spec('job/1'))).when((state) => startAttempt(state, CLAIM));
const asking = () => running().when((state) => askQuestion(state, QUESTION));
const answered = () => asking().when((state) => answerQuestion(state, ANSWER));

describe('a question of an agent', () => {
  it('is asked once, however often the call is repeated', () => {
    expect(asking().events).toMatchObject([{ type: 'task.asked', data: { question: { id: 'q1-1' } } }]);
    expect(asking().when((state) => askQuestion(state, QUESTION)).events).toEqual([]);
    expect(asking().when((state) => askQuestion(state, { ...QUESTION, call: 'call-2' })).events).toEqual([]);
  });

  it('is answered by its call, also by one that is repeated after the answer', () => {
    expect(answered().events.map(({ type }) => type)).toEqual(['task.answered']);
    expect(openQuestions(answered().state)).toEqual([]);
    expect(() => answered().when((state) => answerQuestion(state, ANSWER))).toThrow('was answered');
    const repeated = answered().when((state) => askQuestion(state, QUESTION));
    expect(repeated.events).toEqual([]);
    const delivered = repeated.when((state) => deliverAnswer(state, { task: 'job/1', question: 'q1-1' }));
    expect(delivered.events.map(({ type }) => type)).toEqual(['task.answer-delivered']);
    expect(delivered.when((state) => deliverAnswer(state, { task: 'job/1', question: 'q1-1' })).events).toEqual([]);
    const ended = delivered.when((state) => endAttempt(state, END));
    expect(ended.events.map(({ type }) => type)).toEqual(['attempt.ended', 'task.ended']);
    expect(ended.state.tasks['job/1']?.messages).toEqual([]);
  });

  it('continues the task with an answer that no call returned before the turn ended', () => {
    const failure = { kind: 'no-change' as const, message: 'nothing' };
    const ended = answered().when((state) => endAttempt(state, { ...END, failure }));
    expect(ended.events.map(({ type }) => type)).toEqual([
      ...['task.messaged', 'task.answer-delivered', 'attempt.ended', 'task.retrying'],
    ]);
    const task = ended.state.tasks['job/1'];
    expect(task).toMatchObject({ resume: true, phase: { status: 'ready' }, counted: 0, interrupt: null });
    expect(task?.messages).toMatchObject([{ message: expect.stringContaining('SQLite'), session: null }]);
  });

  it('keeps such an answer for the attempt after one that crashed, and drops it with a cancelled task', () => {
    const failure = { kind: 'crashed' as const, message: 'gone' };
    const follow = { action: 'retry' as const, delayMs: 0, resume: false, free: false };
    const crashed = answered().when((state) => endAttempt(state, { ...END, failure, follow }));
    expect(crashed.state.tasks['job/1']?.messages).toMatchObject([{ message: expect.stringContaining('SQLite') }]);
    const cancelled = answered()
      .when((state) => cancelRun(state, 'enough'))
      .when((state) => endAttempt(state, END));
    expect(cancelled.events.map(({ type }) => type)).toEqual(['attempt.ended', 'task.ended']);
  });

  it('ends with its task: it is no longer listed, and an answer is refused', () => {
    const cancelling = asking().when((state) => cancelRun(state, 'enough'));
    expect(() => cancelling.when((state) => answerQuestion(state, ANSWER))).toThrow('is being cancelled');
    const cancelled = cancelling.when((state) => endAttempt(state, END));
    expect(openQuestions(cancelled.state)).toEqual([]);
    expect(() => cancelled.when((state) => answerQuestion(state, ANSWER))).toThrow('has ended');
  });

  it('belongs to the later attempt that asks it again, whose call returns the answer', () => {
    const failure = { kind: 'crashed' as const, message: 'gone' };
    const follow = { action: 'retry' as const, delayMs: 0, resume: false, free: false };
    const again = asking()
      .when((state) => endAttempt(state, { ...END, failure, follow }))
      .when((state) => startAttempt(state, CLAIM));
    const unasked = again.when((state) => answerQuestion(state, ANSWER));
    expect(unasked.events.map(({ type }) => type)).toEqual(['task.answered', 'task.messaged']);
    const request = again.when((state) => askQuestion(state, { ...QUESTION, attempt: 2, call: 'call-2' }));
    expect(openQuestions(request.state)).toHaveLength(1);
    const after = request.when((state) => answerQuestion(state, ANSWER));
    expect(after.events).toMatchObject([{ type: 'task.answered', data: { delivery: 'call' } }]);
    const task = after.state.tasks['job/1'];
    expect(task && questionOfCall(task, { call: 'call-3', text: QUESTION.text })?.answer).toMatchObject({
      text: 'SQLite',
    });
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

  it('is listed once, also beside another one of its task', () => {
    const two = asking().when((state) => askQuestion(state, { ...QUESTION, call: 'call-2', text: 'Which port?' }));
    expect(openQuestions(two.state).map(({ question }) => question.id)).toEqual(['q1-1', 'q1-2']);
  });

  it('is asked at most twenty times by a task, and while at most fifty of the run are open', () => {
    let story = running();
    for (let index = 0; index < 20; index += 1)
      story = story.when((state) => askQuestion(state, { ...QUESTION, call: `${index}`, text: `${index}?` }));
    expect(() => story.when((state) => askQuestion(state, { ...QUESTION, call: 'x', text: 'more' }))).toThrow(
      '20 questions',
    );
    const keys = ['job/1', 'job/2', 'job/3'];
    let many = given(started(), added(...keys.map((key) => spec(key))));
    for (const task of keys) many = many.when((state) => startAttempt(state, { ...CLAIM, task }));
    for (let index = 0; index < 50; index += 1) {
      const task = keys[index % 3] ?? 'job/1';
      many = many.when((state) => askQuestion(state, { ...QUESTION, task, call: `${index}`, text: `${index}?` }));
    }
    expect(() => many.when((state) => askQuestion(state, { ...QUESTION, call: 'x', text: 'more' }))).toThrow(
      '50 questions of this run are open',
    );
  });
});
