import fc from 'fast-check';
import { describe, it } from 'vitest';
import { FailureKind } from '../../../src/schema/failure.ts';
import type { TaskSpec } from '../../../src/schema/task.ts';
import { spec, started } from '../../support/given.ts';
import { type AttemptOutcome, CALL_USD, type LandingOutcome, Simulation } from '../../support/simulation.ts';

const RUN_IDS = ['r0000001', 'r0000002', 'r0000003'] as const;
const SUCCESSES: AttemptOutcome[] = ['changed', 'changed', 'changed', 'changed', 'unchanged'];
const OUTCOMES: AttemptOutcome[] = [...SUCCESSES, ...SUCCESSES, ...SUCCESSES, ...SUCCESSES, ...FailureKind.options];
const LANDINGS: LandingOutcome[] = ['green', 'green', 'red', 'conflict', 'held'];
const PERSON = [
  ...(['approve', 'approve', 'approve', 'cancel', 'retry', 'retry', 'retry-one', 'retry-one', 'hold'] as const),
  ...(['send-one', 'send-one', 'send-one', 'requeue-one'] as const),
];
const ENGINE = ['admit', 'perform', 'perform', 'call', 'end', 'end', 'unfold', 'zombie', 'crash', 'wait'] as const;

const task = fc.record({
  needs: fc.array(fc.nat({ max: 6 }), { maxLength: 3 }),
  access: fc.constantFrom('read' as const, 'write' as const, 'write' as const),
  policy: fc.constantFrom('none' as const, 'same' as const, 'analyze' as const),
  attempts: fc.integer({ min: 1, max: 4 }),
  priority: fc.integer({ min: -2, max: 2 }),
  waitMs: fc.constantFrom(0, 0, 0, 50_000),
  isLater: fc.boolean(),
  isAfter: fc.boolean(),
});
const run = fc.record({
  tasks: fc.array(task, { minLength: 1, maxLength: 7 }),
  project: fc.constantFrom('left', 'right'),
  budget: fc.option(fc.integer({ min: 5, max: 60 }), { nil: undefined }),
  attempt: fc.integer({ min: 1, max: 20 }),
  runAttempts: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 20, max: 60 })),
  fallback: fc.boolean(),
});
const step = fc.record({
  act: fc.oneof(
    { weight: 25, arbitrary: fc.constantFrom(...ENGINE) },
    { weight: 1, arbitrary: fc.constantFrom(...PERSON) },
  ),
  which: fc.nat({ max: 99 }),
  how: fc.nat({ max: 999 }),
});
const scenario = fc.record({
  runs: fc.array(run, { minLength: 1, maxLength: 3 }),
  projectBudget: fc.option(fc.integer({ min: 5, max: 80 }), { nil: undefined }),
  slots: fc.integer({ min: 1, max: 5 }),
  hosts: fc.option(fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 }), { nil: undefined }),
  maxParallel: fc.integer({ min: 1, max: 3 }),
  steps: fc.array(step, { maxLength: 160, size: 'max' }),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;
type Step = Scenario['steps'][number];

describe('over random histories of several runs', () => {
  it('no task runs before its needs or twice at once, no cap, slot or budget is exceeded, and no index disagrees', () => {
    fc.assert(
      fc.property(scenario, (plan) => void play(plan)),
      { numRuns: 100 },
    );
  });

  it('a replay of the events, whole or from a snapshot, gives exactly the same state', () => {
    fc.assert(
      fc.property(scenario, (plan) => play(plan).crash()),
      { numRuns: 100 },
    );
  });

  it('every run reaches an end once faults stop and a person settles what waits for one', () => {
    fc.assert(
      fc.property(scenario, (plan) => void settle(play(plan))),
      { numRuns: 100 },
    );
  });
});

function play(plan: Scenario): Simulation {
  const hosts = plan.hosts && Object.fromEntries(plan.hosts.map((slots, index) => [`b${index}`, slots]));
  const on = hosts === undefined ? {} : { hosts };
  const world = new Simulation({ slots: plan.slots, ...on, maxParallel: { one: plan.maxParallel } });
  for (const [index, planned] of plan.runs.entries()) begin(world, plan, index, planned);
  for (const one of plan.steps) {
    take(world, one);
    world.settle();
  }
  return world;
}

function begin(world: Simulation, plan: Scenario, index: number, planned: Scenario['runs'][number]): void {
  const id = RUN_IDS[index] ?? RUN_IDS[0];
  const before = RUN_IDS[index - 1];
  const specs = planned.tasks.map((one, position): TaskSpec => {
    const needs = [...new Set(one.needs.filter((need) => need < position))].map((need) => `task/${need}`);
    return spec(`task/${position}`, {
      needs,
      access: one.access,
      priority: one.priority,
      retry: { policy: one.policy, attempts: one.attempts },
      ...(one.waitMs === 0 ? {} : { notBefore: world.now + one.waitMs }),
      ...(one.isAfter && before !== undefined ? { after: [before] } : {}),
    });
  });
  const first = specs.findIndex((_, position) => position > 0 && planned.tasks[position]?.isLater === true);
  const cut = first === -1 ? specs.length : first;
  const budget = {
    attempt: planned.attempt / 10,
    ...(planned.budget === undefined ? {} : { run: planned.budget / 10 }),
    ...(plan.projectBudget === undefined ? {} : { project: plan.projectBudget / 10 }),
  };
  const config = {
    budget,
    limits: { runAttempts: planned.runAttempts },
    routing: { order: ['one', 'two'], fallback: planned.fallback },
    // On hosts only a limit that the settings of a run name applies to an agent.
    agents: { one: { kind: 'command' as const, maxParallel: plan.maxParallel } },
  };
  const event = started({ run: id, project: { id: planned.project, root: '/project' } }, config);
  world.start(event, specs.slice(0, cut), specs.slice(cut));
}

function take(world: Simulation, { act, which, how }: Step): void {
  const ids = [...world.runs.keys()];
  const id = ids[which % ids.length] ?? RUN_IDS[0];
  const claim = pick([...world.claims.keys()], which);
  const live = pick([...world.live.keys()], which);
  const { state } = world.run(id);
  switch (act) {
    case 'admit':
      world.admit();
      return;
    case 'perform':
      world.perform(claim ?? '', pick(LANDINGS, how) ?? 'green');
      return;
    case 'call':
      world.call(live ?? '', ((how % 10) + 1) * (CALL_USD / 10));
      return;
    case 'end':
      world.finishAttempt(live ?? '', pick(OUTCOMES, how) ?? 'changed', how % 4 !== 0);
      return;
    case 'unfold':
      world.unfold(id);
      return;
    case 'zombie': {
      const old = state.tasks[pick(state.order, how) ?? ''];
      if (old !== undefined && old.phase.status !== 'running') world.zombie(id, old);
      return;
    }
    case 'crash':
      world.crash();
      return;
    case 'wait':
      world.now += how * 100;
      return;
    case 'approve':
    case 'cancel':
    case 'retry':
    case 'hold':
      world[act](id);
      return;
    case 'retry-one':
      if (state.order.length > 0) world.retry(id, pick(state.order, how));
      return;
    case 'send-one':
    case 'requeue-one': {
      const one = pick(state.order, how);
      if (one !== undefined) (act === 'send-one' ? world.send : world.requeue)(id, one);
      return;
    }
  }
}

function settle(world: Simulation): void {
  for (let round = 0; round < 500; round += 1) {
    for (const [id, { state }] of world.runs) {
      if (state.status.kind === 'held' || state.counts.held > 0) world.approve(id);
      if (state.counts.blocked > 0 && state.status.kind !== 'cancelling') world.retry(id);
    }
    for (const key of [...world.live.keys()]) world.finishAttempt(key, 'changed');
    const { wakeAt } = world.admit();
    for (const key of [...world.claims.keys()]) world.perform(key, 'green');
    world.settle();
    if (world.states().every((state) => state.status.kind === 'ended')) return;
    if (world.live.size === 0 && wakeAt !== undefined) world.now = Math.max(world.now, wakeAt);
  }
  const open = world.states().filter((state) => state.status.kind !== 'ended');
  throw new Error(
    `never ended: ${JSON.stringify(open.map(({ status, counts, order, tasks }) => [status, counts, order.map((key) => tasks[key]?.phase)]))}`,
  );
}

function pick<T>(list: readonly T[], index: number): T | undefined {
  return list[index % Math.max(1, list.length)];
}
