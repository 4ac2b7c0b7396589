import { endAttempt, startAttempt } from '../src/core/attempt/decide-attempt.ts';
import { completeLanding } from '../src/core/land/decide-landing.ts';
import { addTasks } from '../src/core/run/add-tasks.ts';
import { evolve } from '../src/core/run/evolve.ts';
import type { RunState } from '../src/core/run/state.ts';
import { type Intent, next } from '../src/core/schedule/schedule-next.ts';
import type { SchedulingInput } from '../src/core/schedule/tally.ts';
import { Config } from '../src/schema/config.ts';
import type { RunEvent } from '../src/schema/event.ts';
import { TaskSpec } from '../src/schema/task.ts';
import type { Benchmark } from './benchmark.ts';
import { alternate, listed, median, processorTime } from './timing.ts';

const SMALL = 1_000;
const LARGE = 10_000;
const ROUNDS = 5;
const PARALLEL = 20;
/** The small graph is measured over as much work as the large one; both are warm. */
const REPEATS = LARGE / SMALL;
const NOW = 1_000_000;

/** Whether the core's work per task stays the same in a large run. */
export const graph: Benchmark = {
  name: 'graph',
  summary: `a graph of ${LARGE} tasks through the pure core, against one of ${SMALL}`,
  target: { is: 'at most', ratio: 12 },
  async measure() {
    repeat(REPEATS, () => execute(SMALL));
    execute(LARGE);
    const times = await alternate(
      ROUNDS,
      () => processorTime(() => execute(LARGE)),
      async () => (await processorTime(() => repeat(REPEATS, () => execute(SMALL)))) / REPEATS,
    );
    const [value, ceiling] = [median(times.ours), median(times.ceiling)];
    const note = `each task needs up to three earlier ones; ${PARALLEL} attempts at once; processor time in ms: ${listed(times.ours)} against ${listed(times.ceiling)}`;
    return { value, unit: 'ms', ceiling, ratio: times.ratio, note };
  },
};

function repeat(times: number, work: () => void): void {
  for (let time = 0; time < times; time += 1) work();
}

/** Schedules, simulates and records until every task is done. */
function execute(size: number): void {
  const state = begin(size);
  const landing = new Set<string>();
  for (let left = size * 4; left > 0; left -= 1) {
    const { intents } = next([state], schedulingInput(state, landing));
    if (intents.length === 0) break;
    for (const intent of intents) perform(state, intent);
  }
  if (state.counts.done !== size) throw new Error(`${state.counts.done} of ${size} tasks got done`);
}

function begin(size: number): RunState {
  const config = Config.parse({ routing: { order: ['one'] }, limits: { agents: PARALLEL, runAttempts: 100_000 } });
  const state = evolve(undefined, {
    event: {
      type: 'run.started',
      data: {
        run: 'bench',
        title: 'bench',
        project: { id: 'project', root: '/project' },
        recipe: { name: 'goal', version: 1 },
        input: { goal: 'bench' },
        base: { branch: 'main', commit: 'base' },
        land: 'branch',
        config,
        roles: {},
        agents: {},
      },
    },
    at: NOW,
  });
  record(
    state,
    addTasks(
      state,
      Array.from({ length: size }, (_, index) => taskAt(index)),
    ),
  );
  return state;
}

function taskAt(index: number): TaskSpec {
  const needs = [index - 1, Math.floor(index / 2), Math.floor(index / 3)].filter(
    (need) => need >= 0 && need < index - PARALLEL,
  );
  return TaskSpec.parse({
    key: `implement/1.${index}`,
    title: `Task ${index}`,
    role: 'implement',
    prompt: 'Do it',
    access: 'write',
    needs: [...new Set(needs)].map((need) => `implement/1.${need}`),
    retry: {},
    limits: {},
  });
}

function schedulingInput(state: RunState, landing: ReadonlySet<string>): SchedulingInput {
  const busy = { one: state.counts.running };
  return {
    now: NOW,
    slots: PARALLEL - state.counts.running,
    availability: { rateLimited: {}, busy, maxParallel: {} },
    projects: {},
    claimed: new Set(),
    landing,
    outside: {},
  };
}

function perform(state: RunState, intent: Intent): void {
  if (intent.do === 'land') {
    const commit = `tip-${state.version}`;
    record(state, completeLanding(state, { tasks: intent.tasks, from: state.tip.commit, commit, tree: commit }));
  }
  if (intent.do !== 'attempt') return;
  const { task, agent, because, reservation } = intent;
  record(state, startAttempt(state, { task, agent, because, reservation, base: state.tip.commit }));
  const saved = { ref: `refs/${task}`, commit: task, tree: task, head: task, changed: true };
  record(state, endAttempt(state, { task, attempt: 1, usage: { kind: 'none' }, summary: 'done', saved, now: NOW }));
}

function record(state: RunState, events: readonly RunEvent[]): void {
  for (const event of events) evolve(state, { event, at: NOW });
}
