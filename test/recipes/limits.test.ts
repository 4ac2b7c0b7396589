import { describe, expect, it } from 'vitest';
import { endAttempt, startAttempt } from '../../src/core/attempt/decide-attempt.ts';
import { completeLanding, recordGate } from '../../src/core/land/decide-landing.ts';
import { addTasks } from '../../src/core/run/add-tasks.ts';
import { giveUpTask } from '../../src/core/run/end-tasks.ts';
import { evolve } from '../../src/core/run/evolve.ts';
import type { RunState } from '../../src/core/run/state.ts';
import { type Intent, next } from '../../src/core/schedule/schedule-next.ts';
import { recipeOf } from '../../src/recipes/registry.ts';
import type { RunEvent } from '../../src/schema/event.ts';
import { evidence, saved, started, T0, used } from '../support/given.ts';

const BUDGET_USD = 2;
/** What an attempt reserves, and what it costs. */
const ATTEMPT_USD = 0.4;
const MINUTE = 60_000;
const EVIDENCE = 'src/a.ts:1';

const INPUTS: Record<string, unknown> = {
  cycle: { goal: 'g', cycles: 50 },
  debate: { question: 'q', rounds: 10 },
  team: { task: 't', roles: ['requirements', 'testing'], write: true },
  improve: { yes: true, rounds: 20 },
  watch: {
    ...{ round: 1, why: 'interval', since: null, known: [], pulls: [], seen: {} },
    discussions: ['d1', 'd2'].map((id) => ({ id, messages: [{ by: 'person', text: 'Why?', at: 1 }] })),
  },
};

/** Answers with which the recipe would go on for long. */
function answerOf(role: string, key: string): unknown {
  const answers = [{ point: 'P1', stance: 'agree', evidence: EVIDENCE }];
  const milestones = Array.from({ length: 40 }, (_, index) => ({ title: `M${index}`, description: 'd' }));
  const points = [{ claim: `${key} says so`, evidence: EVIDENCE }];
  const proposal = (index: number) => ({
    ...{ title: `Finding ${index} of w${index}`, category: 'bug', description: '', line: 1, evidence: EVIDENCE },
    ...{ file: `src/f${index}.ts`, confidence: 0.9 },
  });
  switch (role) {
    case 'assess':
      return { milestones };
    case 'milestones':
      return {
        steps: [{ step: Number(key.split('/')[1]), result: 'pass', note: 'ran it' }],
        findings: [],
        summary: '',
      };
    case 'debate':
      return { verdict: 'disagree', position: '', answers: [], points };
    case 'synthesize':
      return { summary: 's', steps: [{ title: 'Do it', points: ['P1'] }] };
    case 'discover': {
      const measure = { command: 'sh count.sh', metric: 'number', better: 'lower' };
      return { spots: [{ title: `Spot ${key} alone`, category: 'tests', description: '', measure }], summary: '' };
    }
    case 'watch':
      return { proposals: [1, 2, 3, 4, 5].map(proposal), summary: '' };
    case 'confirm':
      return { verdict: 'confirmed', evidence: EVIDENCE, confidence: 1 };
    case 'discuss':
      return { text: 'Because.' };
    default:
      return { position: '', points, answers, gaps: [] };
  }
}

/** Runs a recipe through the core: every attempt takes a minute and costs what it reserves. */
function run(name: string, limits: { budget?: number; deadline?: number }): { state: RunState; startedAt: number[] } {
  const config = {
    budget: { attempt: ATTEMPT_USD, ...(limits.budget === undefined ? {} : { run: limits.budget }) },
    routing: { order: ['one'] },
  };
  const start = started(
    {
      recipe: { name, version: 1 },
      input: INPUTS[name],
      ...(limits.deadline === undefined ? {} : { deadline: limits.deadline }),
    },
    config,
  );
  const state = evolve(undefined, { event: start, at: T0 });
  const recipe = recipeOf(name);
  const startedAt: number[] = [];
  let now = T0;
  const record = (events: readonly RunEvent[]) => {
    for (const event of events) evolve(state, { event, at: now });
  };
  record([{ type: 'run.base-checked', data: { tree: 'base', evidence: [] } }]);
  for (let steps = 0; steps < 500; steps += 1) {
    const { add, measure } = recipe.unfold(state, state.start.input, undefined);
    record(
      addTasks(
        state,
        add.filter(({ key }) => state.tasks[key] === undefined),
      ),
    );
    for (const { name: gate } of measure?.commands ?? [])
      record(
        recordGate([measure?.task ?? ''], 'tip', { ...evidence(gate, 'pass'), measured: { before: 5, after: null } }),
      );
    const availability = { rateLimited: {}, busy: {}, maxParallel: {} };
    const input = { now, slots: 8, availability, projects: {}, claimed: new Set<string>(), landing: new Set<string>() };
    const { intents } = next([state], { ...input, outside: {} });
    if (intents.length === 0 && add.length === 0 && measure === undefined) return { state, startedAt };
    for (const intent of intents) record(perform(state, intent, now));
    startedAt.push(...intents.flatMap((intent) => (intent.do === 'attempt' ? [now] : [])));
    const running = Object.keys(state.running);
    if (running.length > 0) now += MINUTE;
    for (const key of running) record(endOf(state, key, now));
  }
  throw new Error(`${name} does not end`);
}

function perform(state: RunState, intent: Intent, now: number): RunEvent[] {
  switch (intent.do) {
    case 'attempt': {
      const { task, agent, because, reservation } = intent;
      return startAttempt(state, { task, agent, because, reservation, base: state.tip.commit });
    }
    case 'give-up':
      return giveUpTask(state, intent);
    case 'land': {
      const [task = ''] = intent.tasks;
      const commit = `${task}-${now}`;
      return completeLanding(state, { tasks: [task], from: state.tip.commit, commit, tree: commit });
    }
    default:
      throw new Error(`not expected: ${intent.do}`);
  }
}

function endOf(state: RunState, task: string, now: number): RunEvent[] {
  const spec = state.tasks[task]?.spec;
  const isWriting = spec?.access === 'write';
  const end = { task, attempt: 1, usage: used(ATTEMPT_USD), summary: 'done', now, saved: saved(task, isWriting) };
  return endAttempt(state, isWriting ? end : { ...end, output: answerOf(spec?.role ?? '', task) });
}

describe.each(Object.keys(INPUTS))('the limits of %s', (name) => {
  it('are not exceeded: nothing starts that its budget does not cover', () => {
    const free = run(name, {}).state;
    expect(free.spent.costUsd).toBeGreaterThan(BUDGET_USD);
    const { state } = run(name, { budget: BUDGET_USD });
    expect(state.spent.costUsd).toBeLessThanOrEqual(BUDGET_USD);
    expect(state.reserved.costUsd).toBe(0);
    const isOut = Object.values(state.tasks).some(
      ({ phase }) => phase.status === 'failed' && phase.failure?.limit === 'run-budget',
    );
    expect(isOut, 'it says that the budget is used').toBe(true);
  });

  it('hold for its time: nothing starts after its deadline', () => {
    const deadline = T0 + MINUTE + 1;
    const { state, startedAt } = run(name, { deadline });
    expect(startedAt.length).toBeGreaterThan(0);
    expect(Math.max(...startedAt)).toBeLessThan(deadline);
    expect(Object.keys(state.running)).toEqual([]);
  });
});
