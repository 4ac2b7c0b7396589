import { describe, expect, it } from 'vitest';
import { endAttempt } from '../../../src/core/attempt/decide-attempt.ts';
import { verdictOf } from '../../../src/core/finish/verdict.ts';
import { propose } from '../../../src/core/land/decide-verification.ts';
import { retryTasks } from '../../../src/core/run/decide-run.ts';
import { route } from '../../../src/core/schedule/route.ts';
import { added, attempted, failure, given, landed, spec, started, T0, worked } from '../../support/given.ts';

const VERIFY = {
  role: 'verify',
  fixRole: 'fix',
  prompt: 'Look whether it holds',
  steps: ['it is there', 'it works'],
  rounds: 2,
  limits: { inactivityMs: 1, runtimeMs: 1, outputBytes: 1 },
};
const CANDIDATE = { commit: 'candidate', base: 'base', tree: 'tree' };
const PASSED = { steps: [1, 2].map((step) => ({ step, result: 'pass', note: '' })), summary: '' };
const FAILED = {
  steps: [
    { step: 1, result: 'pass', note: '' },
    { step: 2, result: 'fail', note: 'it crashed' },
  ],
  summary: '',
};

function proposed(config = {}) {
  return given(
    started({}, config),
    added(spec('feature/1', { verify: VERIFY, track: 'back', labels: ['mac'] })),
    ...worked('feature/1'),
  ).when((state) => propose(state, { task: 'feature/1', candidate: CANDIDATE }));
}

function answer(verifier: string, output: unknown) {
  return (state: Parameters<typeof endAttempt>[0]) =>
    endAttempt(state, { task: verifier, attempt: 1, usage: { kind: 'none' }, summary: '', output, now: T0 + 5 });
}

describe('a verification', () => {
  it('is a read-only task of another agent, and starts from the candidate', () => {
    const { state } = proposed();
    expect(state.tasks['feature/1']?.phase).toMatchObject({ status: 'verifying', verifier: 'verify/1.1' });
    expect(state.tasks['verify/1.1']).toMatchObject({
      spec: {
        role: 'verify',
        access: 'read',
        verifies: 'feature/1',
        track: 'back',
        labels: ['mac'],
        prompt: VERIFY.prompt,
      },
      from: { commit: 'candidate', base: 'candidate' },
      phase: { status: 'ready' },
    });
  });

  it('sends the work on to the branch when every step passed, with its evidence bound to the candidate', () => {
    const { state } = proposed().and(attempted('verify/1.1')).when(answer('verify/1.1', PASSED));
    expect(state.tasks['feature/1']?.phase).toMatchObject({
      status: 'landing',
      commit: 'feature/1-commit',
      verified: true,
    });
    expect(state.tasks['feature/1']?.evidence).toMatchObject([{ gate: 'verify', verdict: 'pass', tree: 'tree' }]);
    expect(state.tasks['verify/1.1']?.phase.status).toBe('done');
  });

  it('retries the work with the report when a step failed; the next attempt starts from the candidate', () => {
    const { state } = proposed().and(attempted('verify/1.1')).when(answer('verify/1.1', FAILED));
    const task = state.tasks['feature/1'];
    expect(task?.phase.status).toBe('ready');
    expect(task).toMatchObject({ from: { commit: 'candidate', base: 'base' }, resume: true, verifications: 1 });
    expect(task?.lesson).toContain('STEP 2: FAIL it works\n  it crashed');
    expect(task?.report).toContain('it crashed');
  });

  it('fails the task when the last round fails', () => {
    const again = proposed()
      .and(attempted('verify/1.1'))
      .when(answer('verify/1.1', FAILED))
      .and(...worked('feature/1', 2))
      .when((state) => propose(state, { task: 'feature/1', candidate: CANDIDATE }))
      .and(attempted('verify/1.2'))
      .when(answer('verify/1.2', FAILED));
    expect(again.state.tasks['feature/1']?.phase).toMatchObject({
      status: 'failed',
      failure: { kind: 'verification' },
    });
  });

  it('has all its rounds again after a person retried the task', () => {
    const failed = (story: ReturnType<typeof proposed>, attempt: number) =>
      story
        .and(...worked('feature/1', attempt))
        .when((state) => propose(state, { task: 'feature/1', candidate: CANDIDATE }))
        .and(attempted(`verify/1.${attempt}`))
        .when(answer(`verify/1.${attempt}`, FAILED));
    const first = proposed().and(attempted('verify/1.1')).when(answer('verify/1.1', FAILED));
    const again = failed(first, 2).when((state) => retryTasks(state, { reason: 'again' }));
    expect(failed(again, 3).state.tasks['feature/1']?.phase.status).toBe('ready');
    expect(failed(failed(again, 3), 4).state.tasks['feature/1']?.phase.status).toBe('failed');
  });

  it('that could not run blocks the work; a retry repeats the verification, not the work', () => {
    const broken = proposed()
      .and(attempted('verify/1.1'))
      .when((state) =>
        endAttempt(state, {
          task: 'verify/1.1',
          attempt: 1,
          usage: { kind: 'none' },
          summary: '',
          failure: failure('crashed'),
          follow: { action: 'fail' },
          now: T0,
        }),
      );
    expect(broken.state.tasks['feature/1']?.phase).toMatchObject({ status: 'blocked' });
    const { state } = broken.when((run) => retryTasks(run, { reason: 'again' }));
    expect(state.tasks['feature/1']?.phase).toMatchObject({
      status: 'landing',
      commit: 'feature/1-commit',
      verified: false,
    });
  });

  it('by another agent is enough where no check is configured, if all that landed had it', () => {
    const story = proposed().and(attempted('verify/1.1')).when(answer('verify/1.1', PASSED)).and(landed('feature/1'));
    expect(verdictOf(story.state).status).toBe('done');
    const other = given(started(), added(spec('job/1')), ...worked('job/1'), landed('job/1'));
    expect(verdictOf(other.state).status).toBe('unverified');
  });
});

describe('the verifying agent', () => {
  const BOARD = { rateLimited: {}, busy: {}, maxParallel: {} };

  function routed(story: ReturnType<typeof proposed>) {
    const verifier = story.state.tasks['verify/1.1'];
    if (verifier === undefined) throw new Error('there is no verifier');
    return route(story.state, verifier, BOARD, T0);
  }

  it('is not the one that did the work, where there is another and this one was not requested', () => {
    expect(routed(proposed())).toMatchObject({ agent: 'two', because: 'one did the work itself' });
    expect(routed(proposed({ roles: { verify: { agent: 'one' } } }))).toMatchObject({ agent: 'one' });
    expect(routed(proposed({ routing: { order: ['one'] } }))).toMatchObject({ agent: 'one' });
  });
});
