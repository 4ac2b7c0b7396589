import { describe, expect, it } from 'vitest';
import { type AgentAvailability, route } from '../../../src/core/schedule/route.ts';
import { recordedTime } from '../../../src/core/view/amounts.ts';
import { added, attempted, given, spec, started, T0 } from '../../support/given.ts';

type RouteOptions = {
  agent?: string;
  agents?: Record<string, string>;
  role?: string;
  prefer?: string[];
  preferred?: string[];
  fallback?: boolean;
  ranking?: { agents: string[]; because: string };
  crashes?: Record<string, number>;
  unable?: Record<string, string>;
  models?: { standard: string; heavy: string };
  profiles?: string[];
};

function routed(options: RouteOptions, availability: Partial<AgentAvailability> = {}) {
  const config = {
    routing: {
      order: options.prefer ?? ['one', 'two'],
      fallback: options.fallback ?? true,
      prefer: options.preferred === undefined ? {} : { job: options.preferred },
    },
    agents: {
      one: {
        kind: 'claude' as const,
        models: options.models ?? {},
        accounts: Object.fromEntries((options.profiles ?? []).map((name) => [name, { profile: name }])),
      },
    },
    roles: options.role === undefined ? {} : { job: { agent: options.role } },
  };
  const task = spec('job/1', options.agent === undefined ? {} : { agent: options.agent });
  const ranking = {
    ...(options.ranking === undefined ? {} : { ranking: { job: options.ranking } }),
    ...(options.unable === undefined ? {} : { unable: options.unable }),
  };
  const { state } = given(started({ agents: options.agents ?? {}, ...ranking }, config), added(task));
  state.crashes = options.crashes ?? {};
  const found = state.tasks['job/1'];
  if (found === undefined) throw new Error('the task is missing');
  return route(state, found, { rateLimited: {}, busy: {}, maxParallel: {}, ...availability }, T0);
}

describe('the agent for a task', () => {
  it('is the one the task requests, then the one set for its role, then the one set for all, then the configured one', () => {
    const all = { agent: 'task', agents: { job: 'named', '*': 'all' }, role: 'set' };
    expect(routed(all)).toEqual({ kind: 'agent', agent: 'task', because: 'requested by the task' });
    expect(routed({ agents: all.agents, role: 'set' })).toEqual({
      kind: 'agent',
      agent: 'named',
      because: 'requested on the command line',
    });
    expect(routed({ agents: { '*': 'all' }, role: 'set', preferred: ['liked'] })).toEqual({
      kind: 'agent',
      agent: 'all',
      because: 'requested on the command line',
    });
    expect(routed({ role: 'set' })).toEqual({ kind: 'agent', agent: 'set', because: 'set for the role job' });
    expect(routed({})).toEqual({ kind: 'agent', agent: 'one', because: 'first in order of preference' });
  });

  it('is the next in order while the first is rate-limited', () => {
    expect(routed({}, { rateLimited: { one: T0 + 1 } })).toEqual({
      kind: 'agent',
      agent: 'two',
      because: `one is rate-limited until ${recordedTime(T0 + 1)}`,
    });
  });

  it('is the first again as soon as its rate limit has ended', () => {
    expect(routed({}, { rateLimited: { one: T0 } })).toMatchObject({ agent: 'one' });
  });

  it('is delayed while it is rate-limited and fallback is disabled', () => {
    expect(routed({ fallback: false }, { rateLimited: { one: T0 + 7 } })).toMatchObject({ kind: 'later', at: T0 + 7 });
  });

  it('is delayed until the first limit ends when all are rate-limited', () => {
    expect(routed({}, { rateLimited: { one: T0 + 9, two: T0 + 4 } })).toMatchObject({ kind: 'later', at: T0 + 4 });
  });

  it('is delayed while it is at its concurrency limit', () => {
    expect(routed({}, { busy: { one: 2 }, maxParallel: { one: 2 } })).toEqual({
      kind: 'later',
      at: undefined,
      because: 'one is busy',
      waitsFor: { text: 'one is busy with 2 of 2 attempts' },
    });
    expect(routed({}, { busy: { one: 1 }, maxParallel: { one: 2 } })).toMatchObject({ agent: 'one' });
  });

  it('is available when the limit of a preferred one ends while the next is busy', () => {
    const availability = { rateLimited: { one: T0 + 5 }, busy: { two: 1 }, maxParallel: { two: 1 } };
    expect(routed({}, availability)).toMatchObject({ kind: 'later', at: T0 + 5 });
  });

  it('is undefined if none is configured', () => {
    expect(routed({ prefer: [] })).toMatchObject({ kind: 'later', at: undefined, because: 'no agent is configured' });
  });

  it('is what the user prefers for the role before all that is set or learned', () => {
    const ranking = { agents: ['two', 'one'], because: 'best' };
    expect(routed({ preferred: ['three'], role: 'set', ranking })).toMatchObject({
      agent: 'three',
      because: 'preferred for the role job',
    });
    expect(routed({ role: 'set', ranking })).toMatchObject({ agent: 'set' });
    expect(routed({ prefer: ['zero', 'one', 'two'], ranking })).toMatchObject({
      agent: 'zero',
      because: 'first in order of preference',
    });
  });

  it('is the best by verified results if the user set no order, and states that', () => {
    const ranking = { agents: ['two', 'one'], because: 'best verified results' };
    expect(routed({ ranking })).toEqual({ kind: 'agent', agent: 'two', because: 'best verified results' });
    expect(routed({ ranking }, { rateLimited: { two: T0 + 1 } })).toMatchObject({
      agent: 'one',
      because: `two is rate-limited until ${recordedTime(T0 + 1)}`,
    });
  });

  it('is another one after three consecutive crashes, if there is another one', () => {
    expect(routed({ crashes: { one: 2 } })).toMatchObject({ agent: 'one' });
    expect(routed({ crashes: { one: 3 } })).toMatchObject({
      agent: 'two',
      because: 'one crashed 3 times in a row',
    });
    expect(routed({ crashes: { one: 3 }, fallback: false })).toMatchObject({ agent: 'one' });
    expect(routed({ crashes: { one: 3 }, prefer: ['one'] })).toMatchObject({ agent: 'one' });
  });

  it('is skipped when it was unusable at the start, unless all were', () => {
    const unable = { one: 'not installed' };
    expect(routed({ unable })).toMatchObject({
      agent: 'two',
      because: 'one cannot be used (not installed)',
    });
    expect(routed({ unable, prefer: ['one'] })).toMatchObject({ agent: 'one' });
  });

  it('stays while only one family of its models is rate-limited, and names it', () => {
    const models = { standard: 'claude-sonnet-5', heavy: 'opus' };
    expect(routed({ models }, { rateLimited: { 'one#opus': T0 + 5 } })).toMatchObject({
      agent: 'one',
      closed: ['opus'],
    });
    const both = { 'one#opus': T0 + 5, 'one#sonnet': T0 + 3 };
    expect(routed({ models }, { rateLimited: both })).toMatchObject({ agent: 'two' });
    expect(routed({ models, fallback: false }, { rateLimited: both })).toMatchObject({ kind: 'later', at: T0 + 3 });
  });

  it('uses its own login first, and a profile of another program only while that is rate-limited', () => {
    expect(routed({ profiles: ['p'] })).toEqual({
      kind: 'agent',
      agent: 'one',
      because: 'first in order of preference',
    });
    expect(routed({ profiles: ['p'] }, { rateLimited: { one: T0 + 5 } })).toMatchObject({ agent: 'one', account: 'p' });
    const all = { one: T0 + 5, 'one/p': T0 + 9 };
    expect(routed({ profiles: ['p'], fallback: false }, { rateLimited: all })).toMatchObject({
      kind: 'later',
      at: T0 + 5,
    });
  });
});

describe('agents named on the command line', () => {
  const rateLimited = { one: T0 + 60_000 };

  it('are the only ones: a task waits for them and says until when', () => {
    const waitsFor = { text: 'one is rate-limited', until: T0 + 60_000 };
    expect(routed({ agents: { '*': 'one' } }, { rateLimited })).toMatchObject({
      kind: 'later',
      at: T0 + 60_000,
      waitsFor,
    });
    expect(routed({ agents: { job: 'one' }, role: 'two' }, { rateLimited })).toMatchObject({ kind: 'later', waitsFor });
  });

  it('may be a list, and the next of it is used while one is not available', () => {
    expect(routed({ agents: { '*': 'one,two' } }, { rateLimited })).toMatchObject({ kind: 'agent', agent: 'two' });
    expect(routed({ agents: { '*': 'one' }, agent: 'three,two' })).toMatchObject({ agent: 'three' });
    expect(routed({ role: 'three,two' })).toMatchObject({ agent: 'three', because: 'set for the role job' });
  });
});

describe('a read-only task', () => {
  const readOnly = (mine: object) => {
    const agents = { mine: { kind: 'acp' as const, command: 'mine', ...mine }, two: { kind: 'claude' as const } };
    return (order: string[]) => {
      const config = { routing: { order }, agents };
      const { state } = given(started({ agents: {} }, config), added(spec('job/1', { access: 'read' })));
      const task = state.tasks['job/1'];
      if (task === undefined) throw new Error('the task is missing');
      return route(state, task, { rateLimited: {}, busy: {}, maxParallel: {} }, T0);
    };
  };

  it('does not get an agent that cannot be kept from writing, unless the user says so', () => {
    expect(readOnly({})(['mine', 'two'])).toMatchObject({ kind: 'agent', agent: 'two' });
    expect(readOnly({})(['mine'])).toEqual({
      kind: 'never',
      because:
        'mine cannot be kept from writing in a read-only role; set agents.mine.readOnlyRoles to true to use it there',
    });
    expect(readOnly({ readOnlyRoles: true })(['mine', 'two'])).toMatchObject({ agent: 'mine' });
    expect(readOnly({ command: '/usr/bin/opencode' })(['mine', 'two'])).toMatchObject({ agent: 'mine' });
    expect(readOnly({ command: 'npx', args: ['@google/gemini-cli@1.2', '--acp'] })(['mine'])).toMatchObject({
      agent: 'mine',
    });
  });
});

describe('the agent that verifies', () => {
  const verifier = (
    agents: Record<string, string>,
    routing: { order?: string[]; fallback?: boolean; prefer?: string[] } = {},
  ) => {
    const { order = ['one', 'two'], fallback = true, prefer } = routing;
    const config = { routing: { order, fallback, prefer: prefer === undefined ? {} : { verify: prefer } } };
    const { state } = given(
      started({ agents }, config),
      added(spec('job/1'), spec('verify/1', { role: 'verify', verifies: 'job/1' })),
      attempted('job/1', 1, { agent: 'one' }),
    );
    const task = state.tasks['verify/1'];
    if (task === undefined) throw new Error('the task is missing');
    const found = route(state, task, { rateLimited: {}, busy: {}, maxParallel: {} }, T0);
    return found.kind === 'agent' ? found.agent : found.because;
  };

  it('is another than the one that did the work, however they are named', () => {
    expect(verifier({})).toBe('two');
    expect(verifier({ '*': 'one,two' })).toBe('two');
    expect(verifier({ '*': 'one,two' }, { fallback: false })).toBe('two');
    expect(verifier({ verify: 'one,two' })).toBe('two');
    expect(verifier({}, { prefer: ['one', 'two'] })).toBe('two');
  });

  it('is the same where it is the only one, or is named for just this', () => {
    expect(verifier({ '*': 'one' })).toBe('one');
    expect(verifier({ verify: 'one' })).toBe('one');
    expect(verifier({}, { prefer: ['one'] })).toBe('one');
  });

  const worker = (agents: Record<string, string>, config: Parameters<typeof started>[1] = {}, work = {}) => {
    const verify = { role: 'verify', prompt: '', steps: [], rounds: 1, fixRole: 'fix', limits: {} };
    const routing = { order: ['one', 'two'], fallback: true, prefer: {}, ...config?.routing };
    const { state } = given(started({ agents }, { ...config, routing }), added(spec('job/1', { verify, ...work })));
    const task = state.tasks['job/1'];
    if (task === undefined) throw new Error('the task is missing');
    const found = route(state, task, { rateLimited: {}, busy: {}, maxParallel: {} }, T0);
    return found.kind === 'agent' ? found : found.because;
  };

  it('is left to verify alone: work that it will verify goes to another one, where one may do it', () => {
    const other = { kind: 'agent', agent: 'two', because: 'one verifies the work' };
    expect(worker({ verify: 'one' })).toEqual(other);
    expect(worker({ verify: 'one', '*': 'one,two' })).toEqual(other);
    expect(worker({}, { roles: { verify: { agent: 'one' } } })).toEqual(other);
    expect(worker({}, { routing: { prefer: { verify: ['one'] } } })).toEqual(other);
    expect(worker({ verify: 'one' }, { routing: { fallback: false } })).toEqual(other);
    expect(worker({ verify: 'one', '*': 'one' })).toMatchObject({ agent: 'one' });
    expect(worker({ verify: 'one', job: 'one' })).toMatchObject({ agent: 'one' });
    expect(worker({ verify: 'one' }, {}, { agent: 'one' })).toMatchObject({ agent: 'one' });
    expect(worker({ verify: 'one,two' })).toMatchObject({ agent: 'one' });
    expect(worker({ verify: 'one' }, {}, { verify: undefined })).toMatchObject({ agent: 'one' });
  });
});
