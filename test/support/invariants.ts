import { isOpen, openTasks, type RunState, type TaskState } from '../../src/core/run/state.ts';
import { chargeOf } from '../../src/core/schedule/budget.ts';
import { inOrder } from '../../src/core/schedule/queue.ts';

/** Sums are rounded to a millionth at each step; adding them up in another way may differ by that much. */
const CENT_DUST = 1e-4;
const FREE_RETRIES = 20;

/** Everything in a run's state that contradicts itself or has no way on; empty for every state that events can lead to. */
function violations(state: RunState): string[] {
  return [
    ...indexes(state),
    ...money(state),
    ...progress(state),
    ...state.order.flatMap((key, index) => {
      const task = state.tasks[key];
      if (task === undefined) return [`${key} is in the order and not among the tasks`];
      return [...shape(state, task, index), ...attempts(task), ...partners(state, task)].map(
        (text) => `${key} ${text}`,
      );
    }),
  ];
}

/** Fails with the list of contradictions, if there are any. */
export function requireConsistent(state: RunState): void {
  const found = violations(state);
  if (found.length > 0) throw new Error(`Run ${state.start.run} at version ${state.version}:\n${found.join('\n')}`);
}

function indexes(state: RunState): string[] {
  const tasks = state.order.flatMap((key) => state.tasks[key] ?? []);
  const having = (status: string) => tasks.filter((task) => task.phase.status === status).map((task) => task.spec.key);
  const queued = [...inOrder(state.ready)];
  const delayed = Object.keys(state.delayed);
  const counts = Object.entries(state.counts).filter(([status, count]) => having(status).length !== count);
  return [
    ...counts.map(([status, count]) => `${count} tasks are counted as ${status}, ${having(status).length} are`),
    ...differing('the ready line and the delayed', [...queued, ...delayed], having('ready')),
    ...differing('the running index', Object.keys(state.running), having('running')),
    ...differing('the landing index', Object.keys(state.landing), having('landing')),
    ...differing('the tasks', Object.keys(state.tasks), state.order),
    ...(state.ready.size === queued.length
      ? []
      : [`the ready line says ${state.ready.size}, and has ${queued.length}`]),
  ];
}

function differing(what: string, actual: string[], expected: string[]): string[] {
  const [left, right] = [[...actual].sort().join(' '), [...expected].sort().join(' ')];
  return left === right ? [] : [`${what}: [${left}], but the phases say [${right}]`];
}

function money(state: RunState): string[] {
  const all = Object.values(state.tasks).flatMap((task) => task.attempts);
  const reserved = all.reduce((sum, one) => sum + (one.ended === null ? one.reservation.costUsd : 0), 0);
  const spent = all.reduce(
    (sum, one) => sum + (one.ended === null ? 0 : chargeOf(one.usage, one.reservation).costUsd),
    0,
  );
  return [
    ...(all.length === state.attempts ? [] : [`${state.attempts} attempts are counted, ${all.length} are there`]),
    ...(Math.abs(reserved - state.reserved.costUsd) < CENT_DUST
      ? []
      : [`$${state.reserved.costUsd} set aside, not $${reserved}`]),
    ...(Math.abs(spent - state.spent.costUsd) < CENT_DUST ? [] : [`$${state.spent.costUsd} spent, not $${spent}`]),
    ...(state.attempts <= state.start.config.limits.runAttempts
      ? []
      : [`${state.attempts} attempts are more than the run's cap`]),
  ];
}

function progress(state: RunState): string[] {
  const { ready, running, landing, held, blocked } = state.counts;
  const open = openTasks(state);
  switch (state.status.kind) {
    case 'ended':
      return open === 0 ? [] : [`the run has ended with ${open} open tasks`];
    case 'cancelling':
      return open === running ? [] : [`the run is cancelling, and ${open - running} tasks that do not run are open`];
    case 'held':
    case 'running':
      return open === 0 || ready + running + landing + held + blocked > 0
        ? []
        : [`${open} tasks are open and none can go on`];
  }
}

function shape(state: RunState, task: TaskState, index: number): string[] {
  const { phase, spec } = task;
  const missing = spec.needs.filter((need) => state.tasks[need]?.phase.status !== 'done');
  const lost = missing.filter((need) => state.tasks[need] === undefined || !isOpen(state.tasks[need]));
  const delayedUntil = state.delayed[spec.key];
  const unmet = isOpen(task) && phase.status !== 'waiting' && missing.length > 0;
  return [
    ...(task.ordinal === index + 1 ? [] : [`has ordinal ${task.ordinal} at place ${index + 1}`]),
    ...(task.missing === missing.length
      ? []
      : [`counts ${task.missing} missing needs, and misses ${missing.join(' ')}`]),
    ...(unmet ? [`is ${phase.status} before ${missing.join(' ')}`] : []),
    ...(phase.status === 'waiting' && missing.length === 0 ? ['waits for nothing'] : []),
    ...(phase.status === 'waiting' && lost.length > 0 ? [`waits for ${lost.join(' ')}, which will not get done`] : []),
    ...(phase.status === 'ready' && delayedUntil !== undefined && delayedUntil !== phase.notBefore
      ? ['is delayed to another time']
      : []),
    ...spec.needs.flatMap((need) =>
      state.dependents[need]?.includes(spec.key) ? [] : [`is unknown to its need ${need}`],
    ),
  ];
}

function attempts(task: TaskState): string[] {
  const { phase, spec } = task;
  const open = task.attempts.filter((attempt) => attempt.ended === null).map((attempt) => attempt.number);
  const expected = phase.status === 'running' ? [phase.attempt] : [];
  return [
    ...(open.join() === expected.join() ? [] : [`is ${phase.status} and has open attempts [${open.join(' ')}]`]),
    ...(phase.status === 'running' && phase.attempt !== task.attempts.length
      ? ['runs an attempt that is not its last']
      : []),
    ...(task.attempts.every((attempt, index) => attempt.number === index + 1) ? [] : ['has attempts out of order']),
    ...(task.counted < spec.retry.attempts
      ? []
      : [`was sent back ${task.counted} times, with a cap of ${spec.retry.attempts} attempts`]),
    ...(task.free <= FREE_RETRIES ? [] : [`was tried again freely ${task.free} times`]),
  ];
}

function partners(state: RunState, task: TaskState): string[] {
  const { phase, spec } = task;
  if (state.status.kind === 'cancelling') return [];
  if (phase.status === 'conflicted' && !serves(state.tasks[phase.resolver], 'resolves', spec.key))
    return ['has no open resolver'];
  if (phase.status === 'analyzing' && !serves(state.tasks[phase.analysis], 'analyzes', spec.key))
    return ['has no open analysis'];
  const root = spec.resolves === undefined ? undefined : state.tasks[spec.resolves];
  return root !== undefined && isOpen(task) && root.phase.status !== 'conflicted'
    ? [`resolves nothing: ${root.phase.status}`]
    : [];
}

function serves(partner: TaskState | undefined, how: 'resolves' | 'analyzes', key: string): boolean {
  return partner !== undefined && isOpen(partner) && partner.spec[how] === key;
}
