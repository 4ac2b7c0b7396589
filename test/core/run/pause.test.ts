import { describe, expect, it } from 'vitest';
import { endAttempt } from '../../../src/core/attempt/decide-attempt.ts';
import { pauseRun, unpauseRun } from '../../../src/core/run/pause.ts';
import type { RunState } from '../../../src/core/run/state.ts';
import { next } from '../../../src/core/schedule/schedule-next.ts';
import { attention, isStuck } from '../../../src/core/view/attention.ts';
import { runStatus } from '../../../src/core/view/run-status.ts';
import { added, attempted, failure, given, spec, started, T0 } from '../../support/given.ts';

const QUIET = {
  now: T0,
  slots: 10,
  availability: { rateLimited: {}, busy: {}, maxParallel: {} },
  projects: {},
  claimed: new Set<string>(),
  landing: new Set<string>(),
  outside: {},
};

function startable(state: RunState): string[] {
  return next([state], QUIET).intents.flatMap((intent) => (intent.do === 'attempt' ? [intent.task] : []));
}

function twoTracks() {
  return given(started(), added(spec('feature/1', { track: 'back' }), spec('feature/2', { track: 'front' })));
}

function brokenEnvironment(task: string) {
  return (state: RunState) =>
    endAttempt(state, {
      task,
      attempt: 1,
      usage: { kind: 'none' },
      summary: '',
      failure: failure('environment'),
      follow: { action: 'block', reason: 'no docker' },
      now: T0,
    });
}

describe('a pause', () => {
  it('of a track starts nothing in it, and the others continue', () => {
    const { state } = twoTracks().when((run) => pauseRun(run, { track: 'back', reason: 'lunch' }));
    expect(startable(state)).toEqual(['feature/2']);
    expect(isStuck(state)).toBe(false);
    expect(attention(state)).toMatchObject([
      { what: 'paused', track: 'back', nextStep: 'manyhands resume r0000001 --track back' },
    ]);
  });

  it('of the whole run starts nothing, and its status is paused', () => {
    const { state } = twoTracks().when((run) => pauseRun(run, { reason: 'lunch' }));
    expect(startable(state)).toEqual([]);
    expect(runStatus(state)).toBe('paused');
  });

  it('is over when the track, or everything, is resumed', () => {
    const paused = twoTracks()
      .when((run) => pauseRun(run, { track: 'back', reason: 'a' }))
      .when((run) => pauseRun(run, { reason: 'b' }));
    const { state } = paused.when((run) => unpauseRun(run, {}));
    expect(startable(state)).toEqual(['feature/1', 'feature/2']);
    expect(unpauseRun(state, {})).toEqual([]);
  });

  it('refuses a track that is not there, naming those that are', () => {
    const { state } = twoTracks();
    expect(() => pauseRun(state, { track: 'midle', reason: '' })).toThrow(/no track "midle"; its tracks: back, front/);
  });

  it('happens automatically after two consecutive environment failures in one track', () => {
    const three = given(started(), added(...[1, 2, 3].map((index) => spec(`feature/${index}`, { track: 'back' }))));
    const once = three.and(attempted('feature/1')).when(brokenEnvironment('feature/1'));
    expect(once.state.paused).toEqual({});
    const twice = once.and(attempted('feature/2')).when(brokenEnvironment('feature/2'));
    expect(twice.state.paused).toEqual({ back: expect.stringMatching(/^the environment failed 2 times in a row: ./) });
    expect(startable(twice.state)).toEqual([]);
    expect(Object.values(twice.state.tasks).map(({ phase }) => phase.status)).toEqual(['ready', 'ready', 'ready']);
  });

  it('does not happen after a success in between', () => {
    const { state } = given(started(), added(...[1, 2, 3].map((index) => spec(`feature/${index}`, { track: 'back' }))))
      .and(attempted('feature/1'))
      .when(brokenEnvironment('feature/1'))
      .and(attempted('feature/2'))
      .when((run) => endAttempt(run, { task: 'feature/2', attempt: 1, usage: { kind: 'none' }, summary: '', now: T0 }))
      .and(attempted('feature/3'))
      .when(brokenEnvironment('feature/3'));
    expect(state.paused).toEqual({});
  });
});
