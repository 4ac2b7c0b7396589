import type { TaskKey } from '../../schema/ids.ts';
import type { Spend } from '../../schema/usage.ts';
import type { RunState, TaskState } from '../run/state.ts';
import { affordable, nextReservation, shortOfMoney } from './budget.ts';
import { type Route, route } from './route.ts';
import type { Wait } from './start-time.ts';
import { availabilityOf, type RunTally, type SchedulingInput, type Tally } from './tally.ts';

type AgentRoute = Extract<Route, { kind: 'agent' }>;

/** What follows for a group of tasks that start together: all of them start, all wait, or none can ever start. */
export type GroupStart =
  | { kind: 'start'; members: { task: TaskState; reservation: Spend; choice: AgentRoute }[] }
  | { kind: 'wait'; reason: Omit<Wait, 'task'>; at?: number; forSlots?: true }
  | { kind: 'block'; task: TaskKey; reason: string }
  | { kind: 'never'; tasks: TaskKey[]; limit: 'run-budget' | undefined; reason: string };

/** The group of a task of which nothing has started yet; undefined for a task that starts on its own. */
export function waitingGroup(
  state: RunState,
  { spec }: TaskState,
  claimed: ReadonlySet<string>,
): TaskState[] | undefined {
  if (spec.together === undefined) return undefined;
  const members = state.order.flatMap((key) => {
    const task = state.tasks[key];
    return task !== undefined && task.spec.together === spec.together ? [task] : [];
  });
  const isBegun = members.some(
    ({ attempts, spec: { key } }) => attempts.length > 0 || claimed.has(`${state.start.run} ${key}`),
  );
  return isBegun ? undefined : members;
}

/** Whether all tasks of a group can start now: each has an agent, and slots and money are enough for all. */
export function startTogether(
  run: RunTally,
  members: readonly TaskState[],
  { tally, input }: { tally: Tally; input: SchedulingInput },
): GroupStart {
  const { state, project } = run;
  const keys = members.map(({ spec }) => spec.key);
  const count = members.length;
  const machineLimit = run.place === 'here' ? input.slotLimit : undefined;
  const most = Math.min(state.maxParallel, machineLimit ?? state.maxParallel);
  if (count > most) {
    const reason = `${count} tasks must start together, but at most ${most} attempts may run at once; raise limits.agents`;
    return { kind: 'never', tasks: keys, limit: undefined, reason };
  }
  const missing = members.find(({ phase }) => phase.status !== 'ready');
  if (missing !== undefined)
    return { kind: 'wait', reason: { kind: 'slots', text: `starts together with ${missing.spec.key}` } };
  const { budget } = state.start.config;
  const reservations = members.map((task) => nextReservation(state, task));
  const total = { costUsd: reservations.reduce((sum, { costUsd }) => sum + costUsd, 0), tokens: 0, turns: 0 };
  const money = affordable(budget, total, run.money);
  if (money === 'never') {
    const reason = `${count} tasks start together: ${shortOfMoney(total, budget, run.money)}`;
    return { kind: 'never', tasks: keys, limit: 'run-budget', reason };
  }
  if (money === 'later')
    return { kind: 'wait', reason: { kind: 'budget', text: 'waits for money that running attempts have reserved' } };
  const routed = routesOf(run, members, { tally, input });
  if ('kind' in routed) return routed;
  const free = Math.min(tally.slots[run.place], state.maxParallel - run.live, project.limit - project.live);
  if (free < count) {
    const reason = { kind: 'slots' as const, text: `waits for ${count} free slots, to start ${count} tasks together` };
    return { kind: 'wait', reason, ...(tally.slots[run.place] < count ? { forSlots: true as const } : {}) };
  }
  return {
    kind: 'start',
    members: members.flatMap((task, index) => {
      const [choice, reservation] = [routed[index], reservations[index]];
      return choice === undefined || reservation === undefined ? [] : [{ task, reservation, choice }];
    }),
  };
}

/** An agent for each, counting those that the others get. */
function routesOf(
  run: RunTally,
  members: readonly TaskState[],
  { tally, input }: { tally: Tally; input: SchedulingInput },
): AgentRoute[] | GroupStart {
  const busy = { ...tally.busy };
  const routes: AgentRoute[] = [];
  for (const task of members) {
    const choice = route(run.state, task, { ...availabilityOf(input, tally, { run, task }), busy }, input.now);
    if (choice.kind === 'never') return { kind: 'block', task: task.spec.key, reason: choice.because };
    if (choice.kind === 'later')
      return {
        kind: 'wait',
        reason: { kind: 'agent', ...choice.waitsFor },
        ...(choice.at === undefined ? {} : { at: choice.at }),
      };
    busy[choice.agent] = (busy[choice.agent] ?? 0) + 1;
    routes.push(choice);
  }
  return routes;
}
