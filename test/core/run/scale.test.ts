import { describe, expect, it } from 'vitest';
import { evolve } from '../../../src/core/run/evolve.ts';
import type { RunState } from '../../../src/core/run/state.ts';
import { next } from '../../../src/core/schedule/schedule-next.ts';
import type { SchedulingInput } from '../../../src/core/schedule/tally.ts';
import type { RunEvent } from '../../../src/schema/event.ts';
import type { TaskSpec } from '../../../src/schema/task.ts';
import { added, attemptEnded, attempted, given, spec, started, T0, taskEnded } from '../../support/given.ts';

const SCHEDULING_INPUT: SchedulingInput = {
  now: T0,
  slots: 20,
  availability: { rateLimited: {}, busy: {}, maxParallel: {} },
  projects: {},
  claimed: new Set(),
  landing: new Set(),
  outside: {},
};

/** A run that counts how often a task is looked up, and how many different ones. */
function counted(specs: TaskSpec[]): { state: RunState; reads: () => number; reset: () => void } {
  const { state } = given(started({}, { limits: { agents: 150, runAttempts: 100_000 } }), added(...specs));
  let reads = 0;
  const handler: ProxyHandler<RunState['tasks']> = {
    get: (tasks, key) => {
      reads += 1;
      return Reflect.get(tasks, key);
    },
    ownKeys: (tasks) => {
      reads += Object.keys(tasks).length;
      return Reflect.ownKeys(tasks);
    },
  };
  return {
    state: { ...state, tasks: new Proxy(state.tasks, handler) },
    reads: () => reads,
    reset: () => {
      reads = 0;
    },
  };
}

const independent = (size: number) =>
  Array.from({ length: size }, (_, index) => spec(`t/${index}`, { access: 'read' }));

function tell(state: RunState, ...events: RunEvent[]): void {
  for (const event of events) evolve(state, { event, at: T0 });
}

describe('with 10,000 tasks', () => {
  it.each([100, 10_000])('admission among %i ready tasks examines those that it starts', (size) => {
    const run = counted(independent(size));
    expect(next([run.state], SCHEDULING_INPUT).intents).toHaveLength(20);
    expect(run.reads()).toBeLessThanOrEqual(60);
  });

  it('admission examines at most one, for the reason that is shown, while there is no slot', () => {
    const run = counted(independent(10_000));
    next([run.state], { ...SCHEDULING_INPUT, slots: 0 });
    expect(run.reads()).toBeLessThanOrEqual(1);
  });

  it('admission examines a bounded number when none can start', () => {
    const run = counted(independent(10_000));
    next([run.state], {
      ...SCHEDULING_INPUT,
      availability: { rateLimited: { one: T0 + 1, two: T0 + 1 }, busy: {}, maxParallel: {} },
    });
    expect(run.reads()).toBeLessThanOrEqual(200);
  });

  it('admission examines at most one of those that wait for a later time', () => {
    const run = counted(independent(10_000).map((one) => ({ ...one, notBefore: T0 + 1 })));
    next([run.state], SCHEDULING_INPUT);
    expect(run.reads()).toBeLessThanOrEqual(1);
  });

  it('the queue stores only waiting tasks, however many have passed through it', () => {
    const run = counted([spec('stuck', { agent: 'gone', access: 'read' }), ...independent(5_000)]);
    for (let index = 0; index < 4_999; index += 1) {
      tell(run.state, attempted(`t/${index}`), attemptEnded(`t/${index}`), taskEnded(`t/${index}`, 'done'));
    }
    expect(Object.keys(run.state.ready.links)).toEqual(['stuck', 't/4999']);
  });

  it('the end of a task costs as much as it has dependents, however large the run is', () => {
    const cost = (size: number, dependents: number) => {
      const needing = Array.from({ length: dependents }, (_, index) => spec(`d/${index}`, { needs: ['t/0'] }));
      const run = counted([...independent(size), ...needing]);
      tell(run.state, attempted('t/0'), attemptEnded('t/0'));
      run.reset();
      tell(run.state, taskEnded('t/0', 'done'));
      return run.reads();
    };
    expect(cost(10_000, 3)).toBe(cost(10, 3));
    expect(cost(10_000, 300)).toBeLessThanOrEqual(cost(10, 3) * 100);
  });

  it('a chain runs to its end with a constant number of scheduling passes per task', () => {
    const cost = (size: number) => {
      const chain = Array.from({ length: size }, (_, index) =>
        spec(`t/${index}`, { access: 'read', needs: index === 0 ? [] : [`t/${index - 1}`] }),
      );
      const run = counted(chain);
      run.reset();
      for (let left = size; left > 0; left -= 1) {
        const [intent] = next([run.state], SCHEDULING_INPUT).intents;
        if (intent?.do !== 'attempt') throw new Error(`nothing to do with ${left} tasks left`);
        tell(run.state, attempted(intent.task), attemptEnded(intent.task), taskEnded(intent.task, 'done'));
      }
      expect(run.state.counts.done).toBe(size);
      return run.reads() / size;
    };
    expect(cost(10_000)).toBeLessThan(cost(100) * 1.1);
  });
});
