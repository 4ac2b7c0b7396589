import { describe, expect, it } from 'vitest';
import { isSettled, runDocument, runSummary } from '../../../src/core/view/document.ts';
import { runStatus } from '../../../src/core/view/run-status.ts';
import { RunDocument, RunSummary } from '../../../src/schema/document.ts';
import {
  added,
  attemptEnded,
  attempted,
  blocked,
  failure,
  given,
  landed,
  spec,
  started,
  taskEnded,
  used,
  worked,
} from '../../support/given.ts';

const spend = { costUsd: 0, tokens: 0, turns: 0 };
const HOLD = { what: 'guard' as const, reason: 'look', files: [] };
const one = given(started(), added(spec('a')));
const stuck = one.and(attempted('a'), blocked('a'));
const reading = given(started(), added(spec('a', { access: 'read' })), attempted('a'));

describe('the status of a run', () => {
  it('contains what it waits for, or how it ended', () => {
    expect(runStatus(one.state)).toBe('running');
    expect(runStatus(stuck.state)).toBe('blocked');
    expect(
      runStatus(one.and(...worked('a'), { type: 'task.held', data: { task: 'a', hold: HOLD, commit: 'c' } }).state),
    ).toBe('held');
    expect(runStatus(one.and({ type: 'run.held', data: { hold: HOLD } }).state)).toBe('held');
    expect(runStatus(one.and({ type: 'run.cancelling', data: { reason: '' } }).state)).toBe('cancelling');
    expect(runStatus(one.and({ type: 'run.ended', data: { status: 'unverified', reason: '', spend } }).state)).toBe(
      'unverified',
    );
  });

  it('is settled when nothing more happens without a person', () => {
    expect(isSettled(one.state)).toBe(false);
    expect(isSettled(stuck.state)).toBe(true);
    expect(isSettled(one.and({ type: 'run.ended', data: { status: 'done', reason: '', spend } }).state)).toBe(true);
  });
});

describe('a run as a document', () => {
  it('keeps to the schema, whatever state it is in', () => {
    for (const { state } of [one, stuck, reading, one.and(...worked('a')), one.and(...worked('a'), landed('a'))]) {
      expect(RunDocument.safeParse(runDocument(state)).error).toBeUndefined();
      expect(RunSummary.safeParse(runSummary(state)).error).toBeUndefined();
    }
  });

  it('shows what each task cost, by which agent, in how many attempts', () => {
    const story = one.and(attempted('a'), attemptEnded('a', 1, { usage: used(0.25) }), taskEnded('a', 'done'));
    expect(runDocument(story.state)).toMatchObject({
      cost: 0.25,
      tasks: [{ key: 'a', status: 'done', attempts: 1, agent: 'one', cost: 0.25 }],
    });
  });

  it('shows a branch once it is pushed, and a commit once something landed', () => {
    expect(runDocument(one.state)).toMatchObject({ branch: null, commit: null });
    const story = one.and(...worked('a'), landed('a'), {
      type: 'run.branch-pushed',
      data: { branch: 'mh/r0000001', commit: 'tip' },
    });
    expect(runDocument(story.state)).toMatchObject({ branch: 'mh/r0000001', commit: 'tip' });
  });

  it("has the vendor's own command that resumes the session of a failed task by hand", () => {
    const accounts = { work: { configDir: '/my logins' } };
    const [one, two, three] = [
      { kind: 'claude' as const, accounts },
      { kind: 'codex' as const },
      { kind: 'gemini' as const },
    ];
    const agents = { one, two, three };
    const failed = (agent: string, more: { account?: string } = {}) =>
      given(started({}, { agents }), added(spec('a')), attempted('a', 1, { agent, ...more }))
        .and(attemptEnded('a', 1, { session: 's-1', failure: failure('timeout') }), taskEnded('a', 'failed'))
        .and(attempted('a', 2, { agent, ...more }), attemptEnded('a', 2), taskEnded('a', 'failed', failure('timeout')));
    const commandOf = (...args: Parameters<typeof failed>) =>
      runDocument(failed(...args).state).tasks[0]?.resumeCommand;
    const workspace = 'cd "$(manyhands open r0000001 a)"';
    expect(commandOf('one')).toBe(`${workspace} && claude --resume s-1`);
    expect(commandOf('one', { account: 'work' })).toBe(
      `${workspace} && CLAUDE_CONFIG_DIR='/my logins' claude --resume s-1`,
    );
    expect(commandOf('two')).toBe(`${workspace} && codex resume s-1`);
    expect(commandOf('three')).toBe(`${workspace} && gemini --resume s-1`);
    expect(runDocument(stuck.state).tasks[0]).not.toHaveProperty('resumeCommand');
  });

  it('contains why it does not continue, and what to do', () => {
    expect(runDocument(stuck.state)).toMatchObject({
      reason: 'the disk is full',
      attention: [{ task: 'a', nextStep: 'make room' }],
    });
  });

  it('has the answer of a single reading task as its result', () => {
    const text = reading.and(attemptEnded('a', 1, { summary: 'forty-two' }), taskEnded('a', 'done'));
    expect(runDocument(text.state).result).toBe('forty-two');
    const structured = reading.and(attemptEnded('a', 1, { output: { answer: 42 } }), taskEnded('a', 'done'));
    expect(runDocument(structured.state).result).toEqual({ answer: 42 });
    expect(runDocument(one.and(...worked('a')).state)).not.toHaveProperty('result');
  });

  it('has that answer also when a failure was analysed on the way', () => {
    const story = reading.and(
      added(spec('analyze/1.1', { access: 'read', analyzes: 'a' })),
      attemptEnded('a', 1, { summary: 'forty-two' }),
      taskEnded('a', 'done'),
    );
    expect(runDocument(story.state).result).toBe('forty-two');
  });

  it('is short in a summary: how many tasks, how many done', () => {
    const story = given(started(), added(spec('a'), spec('b')), taskEnded('a', 'done'));
    expect(runSummary(story.state)).toMatchObject({ run: 'r0000001', status: 'running', tasks: 2, done: 1 });
  });
});
