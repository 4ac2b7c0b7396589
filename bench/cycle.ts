import { endAttempt, startAttempt } from '../src/core/attempt/decide-attempt.ts';
import { completeLanding } from '../src/core/land/decide-landing.ts';
import { addTasks } from '../src/core/run/add-tasks.ts';
import { evolve } from '../src/core/run/evolve.ts';
import type { RunState } from '../src/core/run/state.ts';
import { recipeOf } from '../src/recipes/registry.ts';
import { Config } from '../src/schema/config.ts';
import type { RunEvent } from '../src/schema/event.ts';
import type { Benchmark } from './benchmark.ts';
import { openRoundDatabase, type RoundDatabase } from './database-size.ts';
import { listed } from './timing.ts';

const CYCLES = 50;
const TENTH = 10;
const MILESTONES = 60;
const NOTHING = { costUsd: 0, tokens: 0, turns: 0 };

/** The sizes of one cycle in bytes: its prompts, what it adds to the database, and what it adds to the state in memory. */
type Sizes = { prompts: number; events: number; state: number };

/** Whether a cycle costs as much at the end of a long run as at its beginning. */
export const cycle: Benchmark = {
  name: 'cycle',
  summary: `${CYCLES} cycles of implement and review, simulated: the last one against the tenth`,
  target: { is: 'at most', ratio: 1.2 },
  async measure() {
    await using database = await openRoundDatabase('run/bench');
    const sizes = await simulate(database);
    const tenth = sizes[TENTH - 1];
    const last = sizes.at(-1);
    if (tenth === undefined || last === undefined) throw new Error('the cycles ended too early');
    const ratios = [
      last.prompts / tenth.prompts,
      last.events / tenth.events,
      last.state / tenth.state,
      database.growthSince(TENTH),
    ];
    const note = `bytes of a cycle, the last against the tenth: prompts, events, state, and the SQLite file (ten cycles each): ${listed(ratios)}`;
    return { value: last.events, unit: 'bytes', ceiling: tenth.events, ratio: Math.max(...ratios), note };
  },
};

/** Runs the recipe through the pure core; each cycle reaches one milestone and its review finds something else. */
async function simulate(database: RoundDatabase): Promise<Sizes[]> {
  const recipe = recipeOf('cycle');
  const config = Config.parse({ routing: { order: ['one'] } });
  const started: RunEvent = {
    type: 'run.started',
    data: {
      run: 'bench',
      title: 'bench',
      project: { id: 'project', root: '/project' },
      recipe: { name: 'cycle', version: 1 },
      input: { goal: 'bench', cycles: CYCLES },
      base: { branch: 'main', commit: 'base' },
      land: 'branch',
      config,
      roles: {},
      agents: {},
    },
  };
  const state = evolve(undefined, { event: started, at: 0 });
  const sizes: Sizes[] = [];
  let current: Sizes = { prompts: 0, events: 0, state: 0 };
  let appended: RunEvent[] = [];
  const record = (events: readonly RunEvent[]) => {
    appended.push(...events);
    for (const event of events) {
      current.events += JSON.stringify(event).length;
      evolve(state, { event, at: state.version });
    }
  };
  for (let steps = 0; steps < 3 * CYCLES; steps += 1) {
    const [spec] = recipe.unfold(state, state.start.input, undefined).add;
    if (spec === undefined) break;
    const before = JSON.stringify(state).length;
    current.prompts += spec.prompt.length;
    record(addTasks(state, [spec]));
    perform(state, spec.key, record);
    current.state += JSON.stringify(state).length - before;
    if (!spec.key.endsWith('/review')) continue;
    sizes.push(current);
    await database.round(appended);
    appended = [];
    current = { prompts: 0, events: 0, state: 0 };
  }
  return sizes;
}

function perform(state: RunState, task: string, record: (events: readonly RunEvent[]) => void): void {
  const [, number = '1', kind = 'plan'] = task.split('/');
  const tip = state.tip.commit;
  record(startAttempt(state, { task, agent: 'one', because: 'bench', reservation: NOTHING, base: tip }));
  const saved = { ref: task, commit: task, tree: task, head: task, changed: kind === 'implement' };
  const end = { task, attempt: 1, usage: { kind: 'none' as const }, summary: 'done', saved, now: state.version };
  record(endAttempt(state, kind === 'implement' ? end : { ...end, output: outputOf(kind, Number(number)) }));
  if (kind === 'implement')
    record(
      completeLanding(state, {
        tasks: [task],
        from: tip,
        commit: `tip-${number.padStart(2, '0')}`,
        tree: `tree-${number.padStart(2, '0')}`,
      }),
    );
}

function outputOf(kind: string, cycle: number): unknown {
  if (kind === 'plan')
    return {
      milestones: Array.from({ length: MILESTONES }, (_, index) => ({
        title: `Milestone ${10 + index}`,
        description: 'It is reached',
      })),
    };
  const finding = {
    severity: 'medium',
    title: `Finding ${10 + cycle} about ${cycle * 7919}`,
    description: 'It is wrong',
  };
  return { steps: [{ step: cycle, result: 'pass', note: 'ran it' }], findings: [finding], summary: 'one more' };
}
