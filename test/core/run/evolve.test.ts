import { describe, expect, it } from 'vitest';
import { evolve } from '../../../src/core/run/evolve.ts';
import { RunEvent } from '../../../src/schema/event.ts';
import {
  added,
  attemptEnded,
  attempted,
  evidence,
  given,
  landed,
  landing,
  spec,
  started,
  statuses,
  T0,
  taskEnded,
  used,
  worked,
} from '../../support/given.ts';
import { requireConsistent } from '../../support/invariants.ts';

const RESERVED = { reservation: { costUsd: 1, tokens: 0, turns: 0 } };

describe('the fold of events', () => {
  it('begins with the start of the run, at the commit it is based on', () => {
    const { state } = given(started());
    expect(state).toMatchObject({
      version: 1,
      startedAt: T0,
      status: { kind: 'running' },
      tip: { commit: 'base', tree: null },
      order: [],
    });
  });

  it('refuses any other beginning', () => {
    expect(() => evolve(undefined, { event: added(spec('a')), at: T0 })).toThrow(
      'must be run.started, not tasks.added',
    );
  });

  it('counts its events as the version, and records the time of the last one', () => {
    const { state } = given(started())
      .at(T0 + 5)
      .and(added(spec('a')));
    expect(state).toMatchObject({ version: 2, updatedAt: T0 + 5 });
  });

  it('refuses a log that names a task or an attempt which never was', () => {
    expect(() => given(started(), attempted('ghost'))).toThrow('names task ghost');
    expect(() => given(started(), added(spec('a')), attemptEnded('a'))).toThrow('names attempt 1 of a');
  });

  it('numbers each task by its position in the run', () => {
    const { state } = given(started(), added(spec('a'), spec('b')), added(spec('c')));
    expect(state.order.map((key) => state.tasks[key]?.ordinal)).toEqual([1, 2, 3]);
  });
});

describe('needs', () => {
  it('make a task ready with the last of them, and no sooner', () => {
    const two = given(started(), added(spec('a'), spec('b'), spec('c', { needs: ['a', 'b'] })), taskEnded('a', 'done'));
    expect(two.state.tasks.c).toMatchObject({ missing: 1, phase: { status: 'waiting' } });
    expect(two.and(taskEnded('b', 'done')).state.tasks.c).toMatchObject({ missing: 0, phase: { status: 'ready' } });
  });

  it('that are named twice are still met once', () => {
    const story = given(started(), added(spec('a'), spec('b', { needs: ['a', 'a'] })), taskEnded('a', 'done'));
    expect(statuses(story.state)).toEqual({ a: 'done', b: 'ready' });
    requireConsistent(story.state);
  });

  it('are not met by an end that is not done', () => {
    for (const status of ['failed', 'skipped', 'cancelled'] as const) {
      expect(
        statuses(given(started(), added(spec('a'), spec('b', { needs: ['a'] })), taskEnded('a', status)).state),
      ).toMatchObject({ b: 'waiting' });
    }
  });
});

describe('money', () => {
  const running = given(started(), added(spec('a')), attempted('a', 1, RESERVED));

  it('is set aside while an attempt runs', () => {
    expect(running.state).toMatchObject({ reserved: { costUsd: 1 }, spent: { costUsd: 0 }, attempts: 1 });
  });

  it('is released at its end, and the usage is charged', () => {
    expect(running.and(attemptEnded('a', 1, { usage: used(0.4) })).state).toMatchObject({
      reserved: { costUsd: 0 },
      spent: { costUsd: 0.4, tokens: 15 },
    });
    expect(running.and(attemptEnded('a', 1, { usage: { kind: 'unknown' } })).state.spent.costUsd).toBe(1);
    expect(running.and(attemptEnded('a')).state.spent.costUsd).toBe(0);
  });

  it('that is reported while it runs is charged only once', () => {
    const report = { type: 'attempt.used' as const, data: { task: 'a', attempt: 1, usage: used(0.3) } };
    expect(running.and(report, report, attemptEnded('a', 1, { usage: used(0.4) })).state.spent.costUsd).toBe(0.4);
  });
});

describe('an attempt', () => {
  it('starts without the evidence of the one before', () => {
    const judged = given(started(), added(spec('a')), ...worked('a'), {
      type: 'gate.ended',
      data: { tasks: ['a'], commit: 'c', evidence: evidence('test', 'fail') },
    });
    expect(judged.state.tasks.a?.evidence).toHaveLength(1);
    const again = judged.and(
      { type: 'task.retrying', data: { task: 'a', at: T0, counted: true, resume: false, evidence: 'red' } },
      attempted('a', 2),
    );
    expect(again.state.tasks.a?.evidence).toEqual([]);
  });

  it('keeps its session when its end names none', () => {
    const story = given(started(), added(spec('a')), attempted('a', 1, { session: 'first' }), attemptEnded('a'));
    expect(story.state.tasks.a?.attempts[0]?.session).toBe('first');
  });
});

describe('the run', () => {
  it('records the checks of its base, and does not repeat the passed ones', () => {
    const { state } = given(started(), {
      type: 'run.base-checked',
      data: { tree: 'base-tree', evidence: [evidence('test', 'pass'), evidence('lint', 'fail')] },
    });
    expect(state.baseEvidence).toHaveLength(2);
    expect(state.tip.tree).toBe('base-tree');
    expect(Object.values(state.proven).map((proof) => proof.gate)).toEqual(['test']);
  });

  it('records where it was pushed and landed', () => {
    const story = given(started()).and(
      { type: 'run.branch-pushed', data: { branch: 'mh/r0000001', commit: 'tip' } },
      { type: 'run.landed', data: { branch: 'main', commit: 'tip', how: 'merge' } },
    );
    expect(story.state).toMatchObject({
      pushed: 'tip',
      landed: { branch: 'main', commit: 'tip', how: 'merge', url: null },
    });
  });

  it('goes back to an earlier commit when it is rewound', () => {
    const story = given(started(), added(spec('a')), ...worked('a'), landed('a'), {
      type: 'run.rewound',
      data: { commit: 'best', tree: 'best-tree', reason: 'plateau' },
    });
    expect(story.state.tip).toEqual({ commit: 'best', tree: 'best-tree' });
  });

  it('lands in the order of completion', () => {
    const story = given(started(), added(spec('a'), spec('b')), attempted('a'), attempted('b')).and(
      attemptEnded('b'),
      landing('b'),
      attemptEnded('a'),
      landing('a'),
    );
    expect(Object.keys(story.state.landing)).toEqual(['b', 'a']);
  });
});

describe('a state', () => {
  it('is plain JSON: a round trip loses nothing', () => {
    const story = given(started(), added(spec('a'), spec('b', { notBefore: T0 + 9 })), ...worked('a'));
    expect(JSON.parse(JSON.stringify(story.state))).toStrictEqual(story.state);
  });

  it('never changes the events that it was folded from', () => {
    const events = [started(), added(spec('a'), spec('b', { needs: ['a'] })), ...worked('a'), landed('a')];
    const before = JSON.stringify(events);
    let state = evolve(undefined, { event: started(), at: T0 });
    for (const event of events) state = evolve(state, { event, at: T0 });
    expect(JSON.stringify(events)).toBe(before);
  });

  it('consists of events that the schema knows', () => {
    const events = [started(), added(spec('a')), ...worked('a'), landed('a'), taskEnded('a', 'done')];
    for (const event of events) expect(RunEvent.safeParse(event).success).toBe(true);
  });
});
