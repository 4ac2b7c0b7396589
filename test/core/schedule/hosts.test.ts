import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunState } from '../../../src/core/run/state.ts';
import { Heap } from '../../../src/core/schedule/heap.ts';
import { type HostInput, HostPool } from '../../../src/core/schedule/hosts.ts';
import { RunOrder } from '../../../src/core/schedule/run-order.ts';
import { next } from '../../../src/core/schedule/schedule-next.ts';
import { added, given, spec, started, T0 } from '../../support/given.ts';

function host(name: string, more: Partial<HostInput> = {}): HostInput {
  return { name, slots: 2, free: 2, agents: ['one'], labels: [], rateLimited: {}, ...more };
}

function pool(hosts: HostInput[]): HostPool {
  return new HostPool({ hosts }, T0);
}

const PLAIN = { agent: 'one', labels: [] as string[], config: undefined };

function taken(hosts: HostPool, count: number, more: Partial<Parameters<HostPool['take']>[0]> = {}): string[] {
  return Array.from({ length: count }, () => {
    const placement = hosts.take({ ...PLAIN, ...more });
    return placement.kind === 'host' ? placement.host : placement.text;
  });
}

describe('A choice of hosts', () => {
  it('spreads attempts over the hosts with the largest share of free slots, and stops when none is free', () => {
    const hosts = pool([host('small'), host('large', { slots: 4, free: 4 }), host('busy', { free: 0 })]);
    expect(hosts.free).toBe(6);
    expect(taken(hosts, 7)).toEqual([
      'large',
      'small',
      'large',
      'large',
      'small',
      'large',
      'every host with one is busy',
    ]);
    expect(hosts.free).toBe(0);
  });

  it('takes only hosts that have the agent and every label, and are neither draining nor rate-limited', () => {
    const hosts = pool([
      host('plain'),
      host('gpu', { labels: ['gpu', 'mac'] }),
      host('other', { agents: ['two'], labels: ['gpu'] }),
      host('draining', { labels: ['gpu'], isDraining: true }),
      host('resting', { labels: ['gpu'], rateLimited: { one: T0 + 5 } }),
    ]);
    expect(taken(hosts, 2, { labels: ['gpu'] })).toEqual(['gpu', 'gpu']);
    expect(hosts.take({ ...PLAIN, labels: ['gpu'] })).toEqual({
      kind: 'later',
      at: T0 + 5,
      text: 'every host with one and the label gpu is busy',
    });
    expect(taken(hosts, 1, { labels: ['mac', 'gpu'] })).toEqual([
      'every host with one and the labels mac, gpu is busy',
    ]);
    expect(taken(hosts, 1, { labels: ['tpu'] })).toEqual(['no host has one and the label tpu']);
    expect(taken(hosts, 1, { agent: 'three' })).toEqual(['no host has three']);
    expect(taken(hosts, 1, { agent: 'two' })).toEqual(['other']);
  });

  it('keeps a task on the host that has its workspace, while that has a slot', () => {
    const hosts = pool([host('first', { slots: 9, free: 9 }), host('kept')]);
    expect(taken(hosts, 3, { kept: 'kept' })).toEqual(['kept', 'kept', 'first']);
    expect(taken(hosts, 1, { kept: 'gone' })).toEqual(['first']);
  });

  it('tries another host than those on which the task could not begin, while there is one that suits it', () => {
    const hosts = pool([host('a', { slots: 9, free: 9 }), host('b'), host('c', { agents: ['two'] })]);
    expect(taken(hosts, 3, { failed: ['a'] })).toEqual(['b', 'b', 'every host with one is busy']);
    expect(taken(hosts, 1, { failed: ['a', 'b'] })).toEqual(['a']);
  });

  it('knows which agents rest on every host that has them', () => {
    const limitedUntil = (until: number) => ({ rateLimited: { one: T0 + until } });
    expect(pool([host('a', limitedUntil(9)), host('b', limitedUntil(5))]).rateLimited).toEqual({ one: T0 + 5 });
    expect(pool([host('a', limitedUntil(9)), host('b')]).rateLimited).toEqual({});
  });

  it('never gives a host more than its free slots, and leaves none free while a task of its agent waits', () => {
    const agents = ['one', 'two', 'three'];
    const anyHost = fc.record({
      free: fc.integer({ min: 0, max: 4 }),
      agents: fc.subarray(agents),
      isDraining: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(anyHost, { maxLength: 8 }),
        fc.array(fc.constantFrom(...agents), { maxLength: 40 }),
        (given, expected) => {
          const list = given.map((each, index) => host(`h${index}`, { slots: 4, ...each }));
          const hosts = pool(list);
          const used: Record<string, number> = {};
          const waiting = new Set<string>();
          for (const agent of expected) {
            const placement = hosts.take({ ...PLAIN, agent });
            if (placement.kind === 'host') used[placement.host] = (used[placement.host] ?? 0) + 1;
            else waiting.add(agent);
          }
          for (const { name, free, agents: has, isDraining } of list) {
            expect(used[name] ?? 0).toBeLessThanOrEqual(isDraining ? 0 : free);
            if (!isDraining && has.some((agent) => waiting.has(agent))) expect(used[name] ?? 0).toBe(free);
          }
        },
      ),
    );
  });
});

describe('next with hosts', () => {
  const runOf = (id: string, project: string, config: Parameters<typeof started>[1] = {}): RunState =>
    given(
      started({ run: id, project: { id: project, root: `/${project}` } }, { limits: { agents: 50 }, ...config }),
      added(...Array.from({ length: 20 }, (_, index) => spec(`t${index}`))),
    ).state;
  const startsOf = (runs: RunState[], hosts: HostInput[], slots = 100, starting: Record<string, string> = {}) => {
    const availability = { rateLimited: {}, busy: {}, maxParallel: { one: 1 } };
    const claimed = new Set(Object.keys(starting));
    const fleet = { hosts, claimed: new Map(Object.entries(starting)) };
    const input = {
      now: T0,
      slots,
      availability,
      projects: {},
      claimed,
      landing: new Set<string>(),
    };
    return next(runs, { ...input, outside: {}, fleet });
  };

  it('names the host of each attempt, and starts as many as the hosts have free', () => {
    const { intents } = startsOf([runOf('r0000001', 'p')], [host('a'), host('b', { free: 1 })]);
    expect(intents.map((intent) => (intent.do === 'attempt' ? intent.host : intent.do))).toEqual(['a', 'a', 'b']);
  });

  it('needs no slot of the machine of the server', () => {
    expect(startsOf([runOf('r0000001', 'p')], [host('a')], 0).intents).toHaveLength(2);
  });

  it('limits an agent only where its settings do: what one machine may do at once, each host may', () => {
    const agents = { one: { kind: 'claude' as const, maxParallel: 3 } };
    const hosts = [host('a'), host('b')];
    expect(startsOf([runOf('r0000001', 'p')], hosts).intents).toHaveLength(4);
    expect(startsOf([runOf('r0000001', 'p', { agents })], hosts).intents).toHaveLength(3);
  });

  it('counts starts that are claimed and have no host on record yet', () => {
    const starting = { 'r0000001 t0': 'a' };
    expect(startsOf([runOf('r0000001', 'p')], [host('a')], 0, starting).intents).toHaveLength(1);
  });

  it('starts nothing more on a host whose last slot is claimed, while another one is free', () => {
    const hosts = [host('a', { slots: 1, free: 1 }), host('b', { slots: 1, free: 1 })];
    const { intents } = startsOf([runOf('r0000001', 'p')], hosts, 0, { 'r0000001 t0': 'a' });
    expect(intents).toMatchObject([{ host: 'b' }]);
  });

  it('says why nothing starts', () => {
    const { waits } = startsOf([runOf('r0000001', 'p')], [host('a', { agents: ['three'] })]);
    expect(waits.r0000001).toMatchObject({ kind: 'slots', text: 'no host has one' });
  });

  it('uses another agent while one rests on all hosts', () => {
    const limitedUntil = host('a', { agents: ['one', 'two'], rateLimited: { one: T0 + 60_000 } });
    const { intents } = startsOf([runOf('r0000001', 'p')], [limitedUntil]);
    expect(intents).toMatchObject([
      { agent: 'two', host: 'a' },
      { agent: 'two', host: 'a' },
    ]);
  });

  it('uses the next agent where no host with the labels has the first one', () => {
    const labelled = given(started({}, { labels: ['gpu'] }), added(spec('t'))).state;
    const hosts = [host('a', { agents: ['one'] }), host('b', { agents: ['two'], labels: ['gpu'] })];
    expect(startsOf([labelled], hosts).intents).toMatchObject([
      { agent: 'two', host: 'b', because: 'one cannot be used (no host has it)' },
    ]);
    const both = [...hosts, host('c', { agents: ['one'], labels: ['gpu'] })];
    expect(startsOf([labelled], both).intents).toMatchObject([{ agent: 'one', host: 'c' }]);
  });

  it('gives projects equal shares, however many runs they have', () => {
    const runs = [
      ...Array.from({ length: 9 }, (_, index) => runOf(`r000001${index}`, 'many')),
      runOf('r0000002', 'one'),
    ];
    const { intents } = startsOf(runs, [host('a', { slots: 20, free: 20 })]);
    expect(intents.filter(({ run }) => run === 'r0000002')).toHaveLength(10);
    expect(new Set(intents.map(({ run }) => run)).size).toBe(10);
  });
});

describe('The order of runs', () => {
  it('is that of looking through all of them each time', () => {
    const anyRun = fc.record({ priority: fc.integer({ min: 0, max: 3 }), turns: fc.integer({ min: 0, max: 4 }) });
    fc.assert(
      fc.property(fc.array(anyRun, { maxLength: 12 }), (runs) => {
        const order = (take: (lines: { id: number; priority: number; turns: number }[]) => number[]) =>
          take(runs.map((run, id) => ({ ...run, id })));
        const byHeap = order((lines) => {
          const turns = new RunOrder(lines, { priorityOf: ({ priority }) => priority });
          const seen: number[] = [];
          for (let line = turns.next(); line !== undefined; line = turns.next()) {
            seen.push(line.id);
            line.turns -= 1;
            if (line.turns > 0) turns.again(line);
          }
          return seen;
        });
        const bySearch = order((lines) => {
          const seen: number[] = [];
          while (lines.length > 0) {
            const best = Math.max(...lines.map(({ priority }) => priority));
            const [line] = lines.splice(
              lines.findIndex(({ priority }) => priority === best),
              1,
            );
            if (line === undefined) break;
            seen.push(line.id);
            line.turns -= 1;
            if (line.turns > 0) lines.push(line);
          }
          return seen;
        });
        expect(byHeap).toEqual(bySearch);
      }),
    );
  });

  it('of a heap is sorted', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (numbers) => {
        const heap = new Heap<number>((one, other) => one < other);
        for (const number of numbers) heap.push(number);
        const sorted = numbers.map(() => heap.pop());
        expect(sorted).toEqual(numbers.toSorted((a, b) => a - b));
        expect([heap.pop(), heap.size]).toEqual([undefined, 0]);
      }),
    );
  });
});
