import { candidateGates } from '../../gates/gate-kinds.ts';
import type { RunEnd } from '../../schema/coordination/sub-run.ts';
import type { FailureKind } from '../../schema/failure.ts';
import type { Evidence } from '../../schema/gate.ts';
import type { TaskKey } from '../../schema/ids.ts';
import { isAuxiliary } from '../run/reopening.ts';
import type { RunState, TaskState, TaskStatus } from '../run/state.ts';
import { taskLabel } from '../view/task-label.ts';

const TITLE_CHARS = 60;

export type RunVerdict = { status: RunEnd; reason: string };

/** How a run ends once every task has: derived from what landed and which checks passed, never from what an agent claims. `notStarted` counts what the recipe left out because of failed tasks. */
export function verdictOf(state: RunState, notStarted = 0): RunVerdict {
  if (state.status.kind === 'cancelling') return { status: 'cancelled', reason: state.status.reason };
  const { done, skipped } = state.counts;
  const failures = requiredFailures(state);
  const cancelled = state.counts.cancelled === 0 ? 0 : requestedTasks(state, 'cancelled').length;
  if (failures[0] !== undefined) return failedOrPartial(state, [failures[0], ...failures.slice(1)], notStarted);
  if (cancelled > 0) return { status: 'cancelled', reason: `${count(cancelled, 'task')} cancelled` };
  if (state.wrapUp !== undefined) {
    const isEmpty = state.tip.commit === state.start.base.commit;
    return { status: isEmpty ? 'cancelled' : 'partial', reason: `ended with what has landed: ${state.wrapUp}` };
  }
  if (done === 0 && skipped > 0) return { status: 'failed', reason: 'no task was done' };
  if (state.tip.commit === state.start.base.commit)
    return { status: 'done', reason: `${count(done, 'task')} done, nothing to land` };
  const review = abandonedReview(state);
  const note = review === undefined ? '' : `; not reviewed: ${abandonmentText(review)}`;
  if (isUnaffected(state))
    return {
      status: 'unverified',
      reason: `no check applies to the changes; the full check runs before the base moves${note}`,
    };
  if (!isVerified(state))
    return { status: 'unverified', reason: `no check ran on the result: add a check to the project${note}` };
  const red = knownRedOf(state).length;
  const except = red === 0 ? '' : ` except for ${count(red, 'test')} that failed on the base before`;
  return {
    status: 'done',
    reason: `${count(done, 'task')} done, every check passed on the merged result${except}${note}`,
  };
}

/** The tests that failed on the base and still fail at the tip, where the run continues with them. */
export function knownRedOf(state: RunState): string[] {
  if (state.start.config.baseRed !== 'known') return [];
  const atTip = Object.values(state.proven).filter(({ tree }) => tree === state.tip.tree);
  const hasWork = state.tip.commit !== state.start.base.commit;
  const failures = (hasWork ? atTip : (state.baseEvidence ?? [])).flatMap(({ tests }) => tests?.failures ?? []);
  return [...new Set(failures)];
}

/** Failures caused by an exhausted budget or time limit of a review. */
const OUT_OF_MONEY_OR_TIME: ReadonlySet<FailureKind> = new Set(['budget', 'timeout']);

/** Whether the result was reviewed: false if its review was abandoned because of budget or time, null if none was planned or it has not ended. */
export function isReviewed(state: RunState): boolean | null {
  if (abandonedReview(state) !== undefined) return false;
  const isDone = (key: TaskKey) => {
    const task = state.tasks[key];
    return task?.spec.reviewsResult === true && task.phase.status === 'done';
  };
  return state.order.some(isDone) ? true : null;
}

/** The review of the result that was abandoned because of budget or time; the work that it should review has landed. */
function abandonedReview(state: RunState): TaskState | undefined {
  if (state.counts.failed === 0 || state.tip.commit === state.start.base.commit) return undefined;
  return requestedTasks(state, 'failed').find(isAbandonedReview);
}

function isAbandonedReview({ spec, phase }: TaskState): boolean {
  const failure = phase.status === 'failed' ? phase.failure : null;
  return spec.reviewsResult === true && failure !== null && OUT_OF_MONEY_OR_TIME.has(failure.kind);
}

function abandonmentText({ spec, phase }: TaskState): string {
  const failure = phase.status === 'failed' ? phase.failure : null;
  const what = failure?.kind === 'timeout' ? 'out of time' : 'out of budget';
  return `${taskLabel(spec)} was abandoned, ${what} (${failure?.message ?? ''})`;
}

/** Where some tasks landed and others did not, the result is usable: `manyhands land` takes what landed on the run branch. */
function failedOrPartial(
  state: RunState,
  failures: readonly [TaskState, ...TaskState[]],
  notStarted: number,
): RunVerdict {
  const failed = failures.length;
  const reason = describe(state, failures[0], failed);
  const landed = requestedTasks(state, 'done').filter(
    ({ phase }) => phase.status === 'done' && phase.commit !== null,
  ).length;
  if (landed === 0 || state.tip.commit === state.start.base.commit) return { status: 'failed', reason };
  const skipped = requestedTasks(state, 'skipped').length + notStarted;
  const counts = [`${landed} landed`, `${failed} failed`, ...(skipped === 0 ? [] : [`${skipped} skipped`])];
  return { status: 'partial', reason: `${counts.join(', ')}; ${reason}` };
}

/** The tasks whose failure fails the run; a review that was abandoned because of budget or time does not. */
export function requiredFailures(state: RunState): TaskState[] {
  if (state.counts.failed === 0) return [];
  return requestedTasks(state, 'failed').filter((task) => task.spec.optional !== true && !isAbandonedReview(task));
}

/** Resolvers and analyses only serve another task, whose outcome counts instead. */
function requestedTasks(state: RunState, status: TaskStatus): TaskState[] {
  return state.order.flatMap((key) => {
    const task = state.tasks[key];
    if (task?.phase.status !== status) return [];
    const isWithdrawn = task.phase.status === 'cancelled' && task.phase.withdrawn === true;
    return isAuxiliary(task) || isWithdrawn ? [] : [task];
  });
}

/** Whether the run's checks all passed on exactly the tree at its branch's tip. */
function isVerified(state: RunState): boolean {
  const commands = new Set<string>();
  for (const key of state.order) {
    for (const { name, own } of candidateGates(state.tasks[key]?.spec.gates ?? []))
      if (own !== true) commands.add(name);
  }
  if (commands.size === 0) return everyLandedHas(state, 'own') || everyLandedHas(state, 'verify');
  return areSatisfiedAtTip(state, commands) && isChecked(state);
}

/** Whether each of these checks passed on the tree at the tip, or does not apply to it. */
function areSatisfiedAtTip(state: RunState, commands: ReadonlySet<string>): boolean {
  const satisfied = new Set<string>();
  for (const { tree, gate } of Object.values(state.proven)) if (tree === state.tip.tree) satisfied.add(gate);
  for (const { tree, gate, verdict } of commandEvidence(state))
    if (tree === state.tip.tree && verdict === 'not-applicable') satisfied.add(gate);
  return [...commands].every((name) => satisfied.has(name));
}

/** Whether some check passed on work of the run: one that did not apply proves nothing. */
export function isChecked(state: RunState): boolean {
  const atTip = Object.values(state.proven).some(({ tree }) => tree === state.tip.tree);
  return atTip || commandEvidence(state).some(({ verdict }) => verdict === 'pass');
}

/** Whether a run is unverified only because its checks do not apply to its changes: the full check before the base moves decides. */
export function isUnaffected(state: RunState): boolean {
  const commands = new Set(commandEvidence(state).map(({ gate }) => gate));
  return commands.size > 0 && !isChecked(state) && areSatisfiedAtTip(state, commands);
}

/** The latest results of the commands of landed tasks. */
function commandEvidence(state: RunState): Evidence[] {
  return state.order.flatMap((key) => {
    const task = state.tasks[key];
    if (task?.phase.status !== 'done' || task.phase.commit === null) return [];
    const names = new Set(candidateGates(task.spec.gates).map(({ name }) => name));
    return task.evidence.filter(({ gate }) => names.has(gate));
  });
}

/** Without a check of the whole tree, checks of each task's own files count, or another agent's verification of each. */
function everyLandedHas(state: RunState, what: 'own' | 'verify'): boolean {
  const landed = state.order.flatMap((key) => {
    const task = state.tasks[key];
    return task?.phase.status === 'done' && task.phase.commit !== null && !isAuxiliary(task) ? [task] : [];
  });
  const resolvers = state.order
    .flatMap((key) => state.tasks[key] ?? [])
    .filter(({ spec }) => spec.resolves !== undefined);
  return (
    landed.length > 0 &&
    landed.every((task) => {
      const related = [task, ...resolvers.filter(({ spec }) => spec.resolves === task.spec.key)];
      return related.some((work) => (what === 'own' ? hasOwnCheck(work) : passed(work, 'verify')));
    })
  );
}

function hasOwnCheck(task: TaskState): boolean {
  const own = candidateGates(task.spec.gates).filter((gate) => gate.own === true);
  return own.length > 0 && own.every(({ name }) => passed(task, name));
}

function passed({ evidence }: TaskState, name: string): boolean {
  return evidence.some(({ gate, verdict }) => gate === name && verdict === 'pass');
}

/** A task without a name of its own is called by its title, and not at all where it is the only one. */
function describe({ order }: RunState, { spec, phase }: TaskState, failures: number): string {
  const reason = phase.status === 'failed' ? phase.reason : '';
  if (order.length === 1) return reason;
  const label = spec.name === undefined ? shortTitle(spec.title) : taskLabel(spec);
  return `${label} failed: ${reason}${failures === 1 ? '' : ` (and ${failures - 1} more)`}`;
}

function shortTitle(title: string): string {
  return title.length <= TITLE_CHARS ? title : `${title.slice(0, TITLE_CHARS - 1).trimEnd()}…`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
