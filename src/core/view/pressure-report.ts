import type { ShownEvent } from '../../schema/event.ts';
import type { PressureReport } from '../../schema/report/work-report.ts';
import type { UnknownUsage } from '../../schema/usage.ts';
import type { AttemptState, RunState, TaskState } from '../run/state.ts';
import { chargeOf } from '../schedule/budget.ts';
import { sumUnknown } from './cost-text.ts';
import { attemptCharge, unknownOf } from './task-cost.ts';

/** A run and its events. */
export type PressureRun = { state: RunState; events: readonly ShownEvent[] };

type Interval = { agent: string; from: number; to: number };
type Wait = { cause: string; ms: number };
type Cost = { cause: string; cost: number; isRetry: boolean; unknownUsage?: UnknownUsage | undefined };

/** Limits of the settings now in force: of all agents together, and of each that has one. */
export type AgentLimits = { all: number; of: Readonly<Record<string, number | undefined>> };

/** A start later than this after its task was ready waited for a slot, an account or money. */
const STARTS_AT_ONCE_MS = 2_000;

/** What limits the work in these runs; what still lasts counts until now. */
export function pressureReport(runs: readonly PressureRun[], limits: AgentLimits, now: number): PressureReport {
  const tasks = runs.flatMap(({ state }) => state.order.flatMap((key) => state.tasks[key] ?? []));
  const intervals = tasks.flatMap(({ attempts }) => attempts.map((attempt) => intervalOf(attempt, now)));
  const costs = [...tasks.flatMap(costsOf), ...runs.flatMap(({ state }) => callCosts(state))];
  const waits = runs.flatMap(({ state, events }) => [...startWaits(state, events), ...personWaits(state, events, now)]);
  return {
    runs: runs.length,
    from: timeOf(
      intervals.map(({ from }) => from),
      Math.min,
    ),
    to: timeOf(
      intervals.map(({ to }) => to),
      Math.max,
    ),
    agents: agentRows(intervals, limits),
    waits: waitRows([...waits, ...tasks.flatMap(retryWaits)]),
    retries: costRows(costs.filter(({ isRetry }) => isRetry)).map(({ attempts, ...row }) => ({
      ...row,
      times: attempts,
    })),
    costs: costRows(costs),
  };
}

function timeOf(times: readonly number[], pick: (a: number, b: number) => number): string | null {
  return times.length === 0 ? null : new Date(times.reduce((a, b) => pick(a, b))).toISOString();
}

function intervalOf({ agent, startedAt, ended }: AttemptState, now: number): Interval {
  return { agent, from: startedAt, to: Math.max(ended?.at ?? now, startedAt) };
}

function agentRows(intervals: readonly Interval[], limits: AgentLimits): PressureReport['agents'] {
  const agents = [...new Set(intervals.map(({ agent }) => agent))].sort();
  const row = (agent: string, own: readonly Interval[], limit: number | null) => ({
    agent,
    attempts: own.length,
    limit,
    busyMs: own.reduce((sum, { from, to }) => sum + to - from, 0),
    ...peakOf(own, limit),
  });
  return [
    row('all', intervals, limits.all),
    ...agents.map((agent) =>
      row(
        agent,
        intervals.filter((each) => each.agent === agent),
        limits.of[agent] ?? null,
      ),
    ),
  ];
}

/** The most intervals at once, and how long there were as many as the limit. */
function peakOf(intervals: readonly Interval[], limit: number | null): { mostAtOnce: number; atLimitMs: number } {
  const changes = intervals
    .flatMap(({ from, to }) => [
      { at: from, by: 1 },
      { at: to, by: -1 },
    ])
    .sort((a, b) => a.at - b.at || a.by - b.by);
  let [count, mostAtOnce, atLimitMs, last] = [0, 0, 0, 0];
  for (const { at, by } of changes) {
    if (limit !== null && count >= limit) atLimitMs += at - last;
    count += by;
    mostAtOnce = Math.max(mostAtOnce, count);
    last = at;
  }
  return { mostAtOnce, atLimitMs };
}

/** Why an attempt follows another one of its task. */
function causeAfter({ ended }: AttemptState, task: TaskState): string {
  if (ended?.failure != null) return ended.failure.kind;
  if (ended?.rejected !== undefined) return 'rejected work';
  return (task.questions ?? []).length > 0 ? 'an answer' : 'a message, or work that was requested again';
}

function retryWaits(task: TaskState): Wait[] {
  return task.attempts.flatMap((attempt, index) => {
    const next = task.attempts[index + 1];
    if (next === undefined || attempt.ended === null) return [];
    return [{ cause: `after ${causeAfter(attempt, task)}`, ms: Math.max(next.startedAt - attempt.ended.at, 0) }];
  });
}

/** Tasks that were ready and did not start at once. */
function startWaits(state: RunState, events: readonly ShownEvent[]): Wait[] {
  const added = new Map<string, number>();
  const done = new Map<string, number>();
  for (const { type, at, data } of events) {
    const keys = (field: string): string[] => {
      const list: unknown = Reflect.get(Object(data), field);
      return Array.isArray(list) ? list.map((item: unknown) => String(Reflect.get(Object(item), 'key') ?? item)) : [];
    };
    if (type === 'tasks.added') for (const key of keys('specs')) added.set(key, at);
    if (type === 'tasks.landed') for (const key of keys('tasks')) done.set(key, at);
    if (type === 'task.ended') done.set(String(Reflect.get(Object(data), 'task')), at);
  }
  return state.order.flatMap((key) => {
    const task = state.tasks[key];
    const first = task?.attempts[0];
    if (task === undefined || first === undefined) return [];
    const ready = Math.max(
      added.get(key) ?? 0,
      ...task.spec.needs.map((need) => done.get(need) ?? 0),
      task.spec.notBefore ?? 0,
    );
    const ms = ready === 0 ? 0 : first.startedAt - ready;
    return ms < STARTS_AT_ONCE_MS ? [] : [{ cause: 'a slot, an account or the budget, before the first attempt', ms }];
  });
}

/** How long questions and holds waited for a person. */
function personWaits(state: RunState, events: readonly ShownEvent[], now: number): Wait[] {
  const end = state.status.kind === 'ended' ? undefined : now;
  const questions = Object.values(state.tasks).flatMap(({ questions = [] }) =>
    questions.flatMap(({ at, answer }) => waitUntil('a person: a question', at, answer?.at ?? end)),
  );
  const held = new Map<string, number>();
  const holds: Wait[] = [];
  for (const { type, at, data } of events) {
    const hold: unknown = Reflect.get(Object(data), 'hold');
    const isHeld = type === 'run.held' || type === 'task.held';
    const id = String(isHeld ? Reflect.get(Object(hold), 'id') : hold);
    if (isHeld) held.set(id, at);
    if (!/^(run|task)\.(approved|rejected)$/.test(type)) continue;
    holds.push(...waitUntil('a person: a decision', held.get(id), at));
    held.delete(id);
  }
  const open = [...held.values()].flatMap((at) => waitUntil('a person: a decision', at, end));
  return [...questions, ...holds, ...open];
}

function waitUntil(cause: string, from: number | undefined, to: number | undefined): Wait[] {
  return from === undefined || to === undefined ? [] : [{ cause, ms: Math.max(to - from, 0) }];
}

function waitRows(waits: readonly Wait[]): PressureReport['waits'] {
  const rows = new Map<string, PressureReport['waits'][number]>();
  for (const { cause, ms } of waits) {
    const row = rows.get(cause) ?? { cause, times: 0, totalMs: 0, longestMs: 0 };
    rows.set(cause, { cause, times: row.times + 1, totalMs: row.totalMs + ms, longestMs: Math.max(row.longestMs, ms) });
  }
  return [...rows.values()].sort((a, b) => b.totalMs - a.totalMs);
}

/** What each attempt was paid for: the role of its task, or what it repeats. */
function costsOf(task: TaskState): Cost[] {
  return task.attempts.map((attempt, index) => {
    const before = task.attempts[index - 1];
    const cost = { cost: attemptCharge(attempt), unknownUsage: unknownOf([attempt]) };
    if (before === undefined) return { cause: task.spec.role, isRetry: false, ...cost };
    return { cause: `again after ${causeAfter(before, task)}`, isRetry: true, ...cost };
  });
}

function callCosts({ calls }: RunState): Cost[] {
  return Object.values(calls).flatMap(({ ended }) =>
    (ended?.tries ?? []).map(({ usage, reservation }) => ({
      cause: 'small calls',
      cost: chargeOf(usage, reservation).costUsd,
      isRetry: false,
    })),
  );
}

function costRows(costs: readonly Cost[]): PressureReport['costs'] {
  const rows = new Map<string, PressureReport['costs'][number]>();
  for (const { cause, cost, unknownUsage } of costs) {
    const row = rows.get(cause) ?? { cause, attempts: 0, cost: 0 };
    const unknown = sumUnknown([row.unknownUsage, unknownUsage]);
    const summed = { cause, attempts: row.attempts + 1, cost: row.cost + cost };
    rows.set(cause, unknown === undefined ? summed : { ...summed, unknownUsage: unknown });
  }
  return [...rows.values()].sort((a, b) => b.cost - a.cost || b.attempts - a.attempts);
}
