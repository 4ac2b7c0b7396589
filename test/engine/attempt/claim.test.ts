import { describe, expect, it } from 'vitest';
import { claimFor } from '../../../src/engine/attempt/begin-attempt.ts';
import { added, attemptEnded, attempted, given, spec, started } from '../../support/given.ts';

const INTENT = {
  do: 'attempt',
  run: 'r0000001',
  task: 'implement/1.1',
  agent: 'one',
  because: 'first in order',
  reservation: { costUsd: 0, tokens: 0, turns: 0 },
} as const;
const TIERED = { agents: { one: { kind: 'claude', models: { light: 'small', heavy: 'big' } } } } as const;

function retried(resume: boolean, host?: string) {
  return given(
    started(),
    added(spec('implement/1.1')),
    attempted('implement/1.1', 1, host === undefined ? {} : { host }),
    attemptEnded('implement/1.1', 1, { session: 's1' }),
    { type: 'task.retrying', data: { task: 'implement/1.1', at: 0, counted: true, resume, evidence: '' } },
  ).state;
}

describe('a claim', () => {
  it('is not made when the run was held since it was scheduled', () => {
    const story = given(started(), added(spec('implement/1.1')));
    expect(claimFor(story.state, INTENT, undefined)).toMatchObject({ task: 'implement/1.1', base: 'base' });
    const held = story.and({ type: 'run.held', data: { hold: { what: 'plan', reason: 'x', files: [] } } });
    expect(claimFor(held.state, INTENT, undefined)).toBeUndefined();
  });

  it('continues the session only with the agent and login that had it', () => {
    expect(claimFor(retried(true), INTENT, undefined)?.session).toBe('s1');
    expect(claimFor(retried(false), INTENT, undefined)?.session).toBeUndefined();
    expect(claimFor(retried(true), { ...INTENT, agent: 'two' }, undefined)?.session).toBeUndefined();
    expect(claimFor(retried(true), { ...INTENT, account: 'work' }, undefined)?.session).toBeUndefined();
  });

  it('continues no session on another machine than the one that has it', () => {
    expect(claimFor(retried(true, 'b2'), { ...INTENT, host: 'b2' }, undefined)?.session).toBe('s1');
    expect(claimFor(retried(true, 'b2'), { ...INTENT, host: 'b3' }, undefined)?.session).toBeUndefined();
    expect(claimFor(retried(true, 'b2'), INTENT, undefined)?.session).toBeUndefined();
  });

  it('continues a session of another run once, with the agent and login that had it', () => {
    const session = { agent: 'one', account: null, id: 'earlier' };
    const first = given(started(), added(spec('implement/1.1', { session })));
    expect(claimFor(first.state, INTENT, undefined)?.session).toBe('earlier');
    expect(claimFor(first.state, { ...INTENT, agent: 'two' }, undefined)?.session).toBeUndefined();
    expect(claimFor(first.state, { ...INTENT, account: 'work' }, undefined)?.session).toBeUndefined();
    const lost = first.and(
      attempted('implement/1.1'),
      attemptEnded('implement/1.1', 1, { failure: { kind: 'session-lost', message: 'gone' } }),
      { type: 'task.retrying', data: { task: 'implement/1.1', at: 0, counted: false, resume: false, evidence: '' } },
    );
    expect(claimFor(lost.state, INTENT, undefined)?.session).toBeUndefined();
  });

  it('has the tier of the role, or one by complexity with the reason, where there are models to choose from', () => {
    const state = given(started({}, TIERED), added(spec('implement/1.1', { prompt: 'Fix a typo in the docs' }))).state;
    expect(claimFor(state, INTENT, 'heavy')).toMatchObject({ tier: 'heavy', because: 'first in order' });
    expect(claimFor(state, INTENT, undefined)).toMatchObject({
      tier: 'light',
      because: expect.stringContaining('light because'),
    });
    const plain = given(started(), added(spec('implement/1.1', { prompt: 'Fix a typo in the docs' }))).state;
    expect(claimFor(plain, INTENT, undefined)?.tier).toBeUndefined();
  });

  it('does not choose by complexity when that is disabled', () => {
    const config = { ...TIERED, routing: { order: ['one'], tierByComplexity: false } };
    const { state } = given(started({}, config), added(spec('implement/1.1', { prompt: 'Fix a typo' })));
    expect(claimFor(state, INTENT, undefined)?.tier).toBeUndefined();
  });
});
