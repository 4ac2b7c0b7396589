import type { RunEventOf } from '../../schema/event.ts';
import { NOTHING } from '../schedule/budget.ts';
import { emptyQueue } from '../schedule/queue.ts';
import type { RunState } from './state.ts';

/** The state of a run that has just started. */
export function initialState(event: RunEventOf<'run.started'>, at: number): RunState {
  return {
    version: 1,
    startedAt: at,
    updatedAt: at,
    start: event.data,
    status: { kind: 'running' },
    answers: [],
    tasks: {},
    lastEnded: null,
    order: [],
    sequence: [],
    dependents: {},
    ready: emptyQueue(),
    delayed: {},
    running: {},
    landing: {},
    counts: {
      waiting: 0,
      ready: 0,
      running: 0,
      analyzing: 0,
      landing: 0,
      verifying: 0,
      conflicted: 0,
      held: 0,
      blocked: 0,
      done: 0,
      failed: 0,
      skipped: 0,
      cancelled: 0,
    },
    spent: { ...NOTHING },
    spentBy: {},
    crashes: {},
    reserved: { ...NOTHING },
    calls: {},
    openCalls: 0,
    maxParallel: event.data.config.limits.agents,
    attempts: 0,
    tip: { commit: event.data.base.commit, tree: null },
    baseEvidence: null,
    landingEvidence: [],
    proven: {},
    pushed: null,
    landed: null,
    undone: null,
    paused: {},
    environmentFailures: {},
    invalidated: [],
  };
}
