import { describe, expect, it } from 'vitest';
import { type AgentBoard, route } from '../../src/core/route.ts';
import { added, given, spec, started, T0 } from '../support/given.ts';

type Asked = { agent?: string; agents?: Record<string, string>; role?: string; prefer?: string[]; fallback?: boolean };

function routed(asked: Asked, board: Partial<AgentBoard> = {}) {
  const config = {
    routing: { order: asked.prefer ?? ['one', 'two'], fallback: asked.fallback ?? true },
    roles: asked.role === undefined ? {} : { job: { agent: asked.role } },
  };
  const task = spec('job/1', asked.agent === undefined ? {} : { agent: asked.agent });
  const { state } = given(started({ agents: asked.agents ?? {} }, config), added(task));
  const found = state.tasks['job/1'];
  if (found === undefined) throw new Error('the task is missing');
  return route(state, found, { resting: {}, busy: {}, maxParallel: {}, ...board }, T0);
}

describe('the agent for a task', () => {
  it('is the one the task asks for, then the one named for its role, then the configured one, then the one named for all', () => {
    const all = { agent: 'task', agents: { job: 'named', '*': 'all' }, role: 'set' };
    expect(routed(all)).toEqual({ kind: 'agent', agent: 'task', because: 'asked for by the task' });
    expect(routed({ agents: all.agents, role: 'set' })).toEqual({
      kind: 'agent',
      agent: 'named',
      because: 'asked for on the command line',
    });
    expect(routed({ agents: { '*': 'all' }, role: 'set' })).toEqual({
      kind: 'agent',
      agent: 'set',
      because: 'set for the role job',
    });
    expect(routed({ agents: { '*': 'all' } })).toEqual({
      kind: 'agent',
      agent: 'all',
      because: 'asked for on the command line',
    });
    expect(routed({})).toEqual({ kind: 'agent', agent: 'one', because: 'first in order of preference' });
  });

  it('is the next in order while the first rests', () => {
    expect(routed({}, { resting: { one: T0 + 1 } })).toEqual({
      kind: 'agent',
      agent: 'two',
      because: 'one rests; next in order',
    });
  });

  it('is the first again as soon as its rest is over', () => {
    expect(routed({}, { resting: { one: T0 } })).toMatchObject({ agent: 'one' });
  });

  it('is waited for while it rests when no other may take over', () => {
    expect(routed({ fallback: false }, { resting: { one: T0 + 7 } })).toMatchObject({ kind: 'later', at: T0 + 7 });
  });

  it('is waited for until the first of them wakes when all rest', () => {
    expect(routed({}, { resting: { one: T0 + 9, two: T0 + 4 } })).toMatchObject({ kind: 'later', at: T0 + 4 });
  });

  it('is waited for while it has as much to do as it may', () => {
    expect(routed({}, { busy: { one: 2 }, maxParallel: { one: 2 } })).toEqual({
      kind: 'later',
      at: undefined,
      because: 'one is busy',
    });
    expect(routed({}, { busy: { one: 1 }, maxParallel: { one: 2 } })).toMatchObject({ agent: 'one' });
  });

  it('comes as soon as the rest of a preferred one ends when the next is busy', () => {
    const board = { resting: { one: T0 + 5 }, busy: { two: 1 }, maxParallel: { two: 1 } };
    expect(routed({}, board)).toMatchObject({ kind: 'later', at: T0 + 5 });
  });

  it('is nobody where none is configured', () => {
    expect(routed({ prefer: [] })).toEqual({ kind: 'later', at: undefined, because: 'no agent is configured' });
  });
});
