import { AppError } from '../../errors.ts';
import { hasAllowList, withAllowed } from '../../gates/gate-kinds.ts';
import type { RunEvent, RunEventOf, WorkspaceChanges } from '../../schema/event.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { RunSettingsChange, StopRule } from '../../schema/request.ts';
import type { TaskLimits, TaskSpec } from '../../schema/task.ts';
import { affordable, reservationFor, runMoney } from '../schedule/budget.ts';
import { momentText, moneyText } from '../view/amounts.ts';
import { retryTasks } from './decide-run.ts';
import { canReopen } from './reopening.ts';
import { requeueTasks } from './requeue.ts';
import { requireTask } from './require.ts';
import { isOpen, type RunState, type TaskState } from './state.ts';

/** Changes of the recorded settings that a person makes with a retry. */
export type SettingsChange = {
  stop?: StopRule | undefined;
  scopeAllow: readonly string[];
  budget?: number | undefined;
  deadline?: number | undefined;
  agents?: RunSettingsChange['agents'];
};

export type RetryRequest = {
  task?: TaskKey;
  reason: string;
  requeue: boolean;
  /** What happens to changes of another user or process in the workspace of a task that is blocked by them. */
  changes?: WorkspaceChanges | undefined;
  change: SettingsChange;
};

/** With `--stop completion` an attempt continues until it is done; this many turns are the safety cap. */
const COMPLETION_TURNS = 1000;

/** Retries tasks, with changed settings where requested; a change alone is accepted where the tasks are still open. */
export function retryWith(state: RunState, { requeue, change, ...what }: RetryRequest): RunEvent[] {
  const changed = changeOf(state, change, what.task);
  const retry = requeue ? requeueTasks : retryTasks;
  if (changed === undefined) return retry(state, what);
  const keys = what.task === undefined ? state.order : [requireTask(state, what.task).spec.key];
  const isStillOpen =
    state.status.kind !== 'cancelling' &&
    !keys.some((key) => canReopen(state, key)) &&
    keys.some((key) => isOpen(requireTask(state, key)));
  return [{ type: 'run.settings-changed', data: changed }, ...(isStillOpen && !requeue ? [] : retry(state, what))];
}

/** The limits that a stop rule sets. */
export function limitsOfStop({ turns, budget, seconds, silenceSeconds, completion }: StopRule): Partial<TaskLimits> {
  const most = turns ?? (completion ? COMPLETION_TURNS : undefined);
  return {
    ...(most === undefined ? {} : { turns: most }),
    ...(budget === undefined ? {} : { costUsd: budget }),
    ...(seconds === undefined ? {} : { runtimeMs: Math.round(seconds * 1000) }),
    ...(silenceSeconds === undefined ? {} : { inactivityMs: Math.round(silenceSeconds * 1000) }),
  };
}

function changeOf(state: RunState, change: SettingsChange, key: TaskKey | undefined): RunSettingsChange | undefined {
  const { stop, scopeAllow, budget, deadline, agents } = change;
  const limits = stop === undefined ? {} : limitsOfStop(stop);
  const data: RunSettingsChange = {
    ...(key === undefined ? {} : { task: servedBy(requireTask(state, key)) }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
    ...(scopeAllow.length === 0 ? {} : { scopeAllow: [...scopeAllow] }),
    ...(budget === undefined ? {} : { budget }),
    ...(deadline === undefined ? {} : { deadline }),
    ...(agents === undefined ? {} : { agents }),
  };
  if (Object.keys(data).every((name) => name === 'task')) return undefined;
  requireScope(state, data);
  requireAffordable(state, data);
  return data;
}

/** An auxiliary task is retried through the task that it serves. */
function servedBy({ spec }: TaskState): TaskKey {
  return spec.resolves ?? spec.analyzes ?? spec.verifies ?? spec.key;
}

function requireScope(state: RunState, { task, scopeAllow }: RunSettingsChange): void {
  if (scopeAllow === undefined) return;
  const tasks = task === undefined ? Object.values(state.tasks) : [requireTask(state, task)];
  if (tasks.some(({ spec }) => hasAllowList(spec.gates))) return;
  throw new AppError('INPUT_INVALID', 'No list of allowed files applies here, so --scope-allow would change nothing');
}

/** A budget that allows no attempt would fail the tasks again at once. */
function requireAffordable(state: RunState, change: RunSettingsChange): void {
  const { run } = state.start;
  if (change.budget === undefined && change.limits?.costUsd === undefined) return;
  const { config } = changedStart(state.start, change);
  const after = { ...state, start: { ...state.start, config } };
  const { spentUsd } = runMoney(state);
  const money = { spentUsd, reservedUsd: 0 };
  const budget = { ...config.budget, project: undefined };
  const tasks = change.task === undefined ? Object.values(state.tasks) : [requireTask(state, change.task)];
  for (const task of tasks) {
    const { spec } = task;
    if (!isOpen(task) && !canReopen(state, spec.key)) continue;
    const reservation = reservationFor(after, changedSpec(spec, change));
    if (affordable(budget, reservation, { run: money, project: money }) !== 'never') continue;
    const least = Math.ceil((spentUsd + (changedSpec(spec, change).limits.costUsd ?? budget.attempt)) * 100);
    const reason = `Run ${run} has spent ${moneyText(spentUsd)} and an attempt reserves ${moneyText(reservation.costUsd)}`;
    throw new AppError('INPUT_INVALID', `${reason}: use --budget ${(least / 100).toFixed(2)} or more`, { run });
  }
}

/** Applies changed settings: to one task, or to all tasks of the run and those that are added later. */
export function changeSettings(state: RunState, { data }: RunEventOf<'run.settings-changed'>): void {
  state.start = changedStart(state.start, data);
  for (const task of Object.values(state.tasks))
    if (data.task === undefined || data.task === task.spec.key) task.spec = changedSpec(task.spec, data);
}

function changedStart(start: RunState['start'], change: RunSettingsChange) {
  const { task, limits, scopeAllow, budget, deadline, agents } = change;
  const { config, unable } = start;
  const isRun = task === undefined;
  const own = isRun && limits !== undefined ? limits : {};
  const { allow } = config.scope;
  const chosen = agents === undefined ? [] : Object.keys(agents.settings);
  const all = raisedTo(limits?.runtimeMs, { ...config.agents, ...agents?.settings });
  return {
    ...start,
    ...(deadline === undefined ? {} : { deadline }),
    ...(unable === undefined
      ? {}
      : { unable: Object.fromEntries(Object.entries(unable).filter(([name]) => !chosen.includes(name))) }),
    agents: { ...start.agents, ...(isRun ? agents?.byRole : withoutAny(agents?.byRole)) },
    config: {
      ...config,
      agents: all,
      routing: { ...config.routing, order: [...new Set([...(agents?.order ?? []), ...config.routing.order])] },
      limits: {
        ...config.limits,
        ...(own.turns === undefined ? {} : { turns: own.turns }),
        ...(own.runtimeMs === undefined ? {} : { runtimeSeconds: own.runtimeMs / 1000 }),
        ...(own.inactivityMs === undefined ? {} : { inactivitySeconds: own.inactivityMs / 1000 }),
      },
      budget: {
        ...config.budget,
        ...(own.costUsd === undefined ? {} : { attempt: own.costUsd }),
        ...(budget === undefined ? {} : { run: budget }),
      },
      scope: {
        ...config.scope,
        allow: isRun && allow.length > 0 ? [...new Set([...allow, ...(scopeAllow ?? [])])] : allow,
      },
    },
  };
}

/** The time of an attempt is also limited by its agent: that limit must not undo a longer time. */
function raisedTo(runtimeMs: number | undefined, agents: RunState['start']['config']['agents']): typeof agents {
  if (runtimeMs === undefined) return agents;
  return Object.fromEntries(
    Object.entries(agents).map(([name, agent]) => [
      name,
      agent.runtimeSeconds === undefined
        ? agent
        : { ...agent, runtimeSeconds: Math.max(agent.runtimeSeconds, runtimeMs / 1000) },
    ]),
  );
}

/** A change for a single task changes the run's agents only by role. */
function withoutAny(byRole: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(byRole).filter(([role]) => role !== '*'));
}

function changedSpec(spec: TaskSpec, { task, limits, scopeAllow, agents }: RunSettingsChange): TaskSpec {
  const { agent, verify, ...rest } = spec;
  const any = agents?.byRole['*'];
  const isChosen = (role: string) => agents?.byRole[role] !== undefined || any !== undefined;
  const ownAgent = agents?.byRole[spec.role] === undefined && task !== undefined ? any : undefined;
  const keptAgent = ownAgent ?? (isChosen(spec.role) ? undefined : agent);
  return {
    ...rest,
    ...(keptAgent === undefined ? {} : { agent: keptAgent }),
    ...(verify === undefined ? {} : { verify: changedVerification(verify, { limits, agents }) }),
    limits: changedLimits(spec.limits, limits),
    gates: withAllowed(spec.gates, scopeAllow ?? []),
  };
}

function changedVerification(
  verify: NonNullable<TaskSpec['verify']>,
  { limits, agents }: Pick<RunSettingsChange, 'limits' | 'agents'>,
): NonNullable<TaskSpec['verify']> {
  const { agent, ...rest } = verify;
  const isChosen = agents?.byRole[verify.role] !== undefined;
  return {
    ...rest,
    ...(agent === undefined || isChosen ? {} : { agent }),
    limits: changedLimits(verify.limits, limits),
  };
}

function changedLimits(
  before: TaskLimits,
  { runtimeMs, inactivityMs, ...others }: RunSettingsChange['limits'] = {},
): TaskLimits {
  return {
    ...before,
    ...others,
    runtimeMs: runtimeMs ?? before.runtimeMs,
    inactivityMs: inactivityMs ?? before.inactivityMs,
  };
}

/** Changed settings in one line. */
export function settingsChangeText({ limits, scopeAllow, budget, deadline, agents }: RunSettingsChange): string {
  const { turns, costUsd, runtimeMs, inactivityMs } = limits ?? {};
  const chosen = Object.entries(agents?.byRole ?? {}).map(([role, name]) => (role === '*' ? name : `${role}=${name}`));
  return [
    ...(turns === undefined ? [] : [`at most ${turns} turns`]),
    ...(costUsd === undefined ? [] : [`at most ${moneyText(costUsd)} per attempt`]),
    ...(runtimeMs === undefined ? [] : [`at most ${runtimeMs / 1000} s per attempt`]),
    ...(inactivityMs === undefined ? [] : [`at most ${inactivityMs / 1000} s without output`]),
    ...(scopeAllow === undefined ? [] : [`may also change ${scopeAllow.join(', ')}`]),
    ...(budget === undefined ? [] : [`budget ${moneyText(budget)}`]),
    ...(deadline === undefined ? [] : [`until ${momentText(deadline)}`]),
    ...(chosen.length === 0 ? [] : [`agent ${chosen.join(', ')}`]),
  ].join('; ');
}
