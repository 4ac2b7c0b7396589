import type { z } from 'zod';
import { evolve } from '../../src/core/run/evolve.ts';
import type { RunState } from '../../src/core/run/state.ts';
import { Config } from '../../src/schema/config.ts';
import type { RunEvent, RunEventOf, RunStart, SavedWork } from '../../src/schema/event.ts';
import type { Failure } from '../../src/schema/failure.ts';
import type { Evidence } from '../../src/schema/gate.ts';
import { TaskSpec } from '../../src/schema/task.ts';
import type { Usage } from '../../src/schema/usage.ts';

/** A history and what came of it; telling more gives a new one and leaves this one as it was. */
export type Story = {
  state: RunState;
  /** What the last decision said. */
  events: RunEvent[];
  when(decide: (state: RunState) => RunEvent[]): Story;
  and(...events: RunEvent[]): Story;
  at(now: number): Story;
};

/** When every story begins. */
export const T0 = 1_000_000;

/** The state after these events, all of them at `T0`. */
export function given(first: RunEvent, ...events: RunEvent[]): Story {
  return appendEvents(evolve(undefined, { event: first, at: T0 }), [], T0).and(...events);
}

function appendEvents(state: RunState, events: RunEvent[], now: number): Story {
  const fold = (newEvents: RunEvent[]) => {
    let after = structuredClone(state);
    for (const event of newEvents) after = evolve(after, { event: structuredClone(event), at: now });
    return appendEvents(after, newEvents, now);
  };
  return {
    state,
    events,
    when: (decide) => fold(decide(state)),
    and: (...newEvents) => fold(newEvents),
    at: (time) => appendEvents(state, events, time),
  };
}

export function started(more: Partial<RunStart> = {}, config: z.input<typeof Config> = {}): RunEventOf<'run.started'> {
  return {
    type: 'run.started',
    data: {
      run: 'r0000001',
      title: 'A run',
      project: { id: 'project', root: '/project' },
      recipe: { name: 'job', version: 1 },
      input: {},
      base: { branch: 'main', commit: 'base' },
      land: 'branch',
      config: Config.parse({ routing: { order: ['one', 'two'] }, ...config }),
      roles: {},
      agents: {},
      ...more,
    },
  };
}

export function spec(key: string, more: Partial<z.input<typeof TaskSpec>> = {}): TaskSpec {
  const role = key.split('/')[0] ?? key;
  return TaskSpec.parse({
    key,
    title: key,
    role,
    prompt: `Do ${key}`,
    access: 'write',
    retry: {},
    limits: {},
    ...more,
  });
}

export function added(...specs: TaskSpec[]): RunEventOf<'tasks.added'> {
  return { type: 'tasks.added', data: { specs } };
}

export function attempted(
  task: string,
  attempt = 1,
  more: Partial<RunEventOf<'attempt.started'>['data']> = {},
): RunEvent {
  const reservation = { costUsd: 0, tokens: 0, turns: 0 };
  return {
    type: 'attempt.started',
    data: { task, attempt, agent: 'one', because: 'a test', base: 'base', reservation, ...more },
  };
}

export function attemptEnded(
  task: string,
  attempt = 1,
  more: Partial<RunEventOf<'attempt.ended'>['data']> = {},
): RunEvent {
  return {
    type: 'attempt.ended',
    data: { task, attempt, usage: { kind: 'none' }, summary: `${task} said so`, ...more },
  };
}

export function landing(task: string): RunEvent {
  return { type: 'task.landing', data: { task, commit: `${task}-commit`, ref: `${task}-ref` } };
}

/** An attempt from its start to the work that waits to land. */
export function worked(task: string, attempt = 1): RunEvent[] {
  return [attempted(task, attempt), attemptEnded(task, attempt, { saved: saved(task) }), landing(task)];
}

export function landed(...tasks: string[]): RunEvent {
  return { type: 'tasks.landed', data: { tasks, from: 'base', commit: 'tip', tree: 'tree' } };
}

export function taskEnded(
  task: string,
  status: RunEventOf<'task.ended'>['data']['status'],
  failed?: Failure,
): RunEvent {
  return {
    type: 'task.ended',
    data: { task, status, reason: status, ...(failed === undefined ? {} : { failure: failed }) },
  };
}

export function blocked(task: string): RunEvent {
  return { type: 'task.blocked', data: { task, reason: 'the disk is full', nextStep: 'make room' } };
}

export function saved(task: string, changed = true): SavedWork {
  return { ref: `${task}-ref`, commit: `${task}-commit`, tree: `${task}-tree`, head: `${task}-commit`, changed };
}

export function failure(kind: Failure['kind'], message = `it was ${kind}`): Failure {
  return { kind, message };
}

export function used(costUsd: number): Usage {
  return { kind: 'known', costUsd, inputTokens: 10, outputTokens: 5, cachedTokens: 0, turns: 1 };
}

export function evidence(gate: string, verdict: Evidence['verdict'], tree = 'tree'): Evidence {
  return {
    gate,
    verdict,
    tree,
    definition: gate,
    setup: 'none',
    summary: verdict,
    exitCode: 0,
    durationMs: 1,
    reused: false,
  };
}

/** How each task stands, by key. */
export function statuses(state: RunState): Record<string, string> {
  return Object.fromEntries(state.order.map((key) => [key, state.tasks[key]?.phase.status ?? 'missing']));
}
