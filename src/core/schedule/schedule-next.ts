import type { FailureLimit } from '../../schema/failure.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { Spend } from '../../schema/usage.ts';
import { openQuestions } from '../attempt/decide-question.ts';
import type { RunState, TaskState } from '../run/state.ts';
import { momentText } from '../view/amounts.ts';
import { isPaused } from '../view/attention.ts';
import { affordable, nextReservation, shortOfMoney } from './budget.ts';
import { agedPriority, highest, inOrder } from './queue.ts';
import { recoveryEnd, recoveryWait } from './recovery.ts';
import { type Route, route } from './route.ts';
import { outsideOf, reasonToWait, slotsWait, startWait, type Wait } from './start-time.ts';
import { startTogether, waitingGroup } from './start-together.ts';
import { beginTally, parallelLimit, type RunTally, type SchedulingInput, setAside, type Tally } from './tally.ts';

/** An action to perform now. */
export type Intent =
  | ({ do: 'attempt'; run: string; task: TaskKey; reservation: Spend } & Omit<
      Extract<Route, { kind: 'agent' }>,
      'kind'
    >)
  | {
      do: 'give-up';
      run: string;
      task: TaskKey;
      kind: 'budget' | 'environment' | 'timeout';
      reason: string;
      limit?: FailureLimit;
    }
  | { do: 'block'; run: string; task: TaskKey; reason: string }
  | { do: 'answer'; run: string; task: TaskKey; question: string }
  | { do: 'conclude'; run: string; task: TaskKey }
  | { do: 'land'; run: string; tasks: TaskKey[] };

/** `waits`: by run, why a running run of which nothing is in progress starts nothing. */
export type Admission = { intents: Intent[]; wakeAt: number | undefined; waits: Record<string, Wait> };

/** A run with the next task that it would start. */
type RunLine = {
  run: RunTally;
  tasks: Generator<TaskState>;
  head: TaskState | undefined;
  /** The groups of tasks that start together and were decided on in this pass. */
  decided: Set<string>;
};

/** How many tasks of a run's queue are examined for one that can start. */
const LOOK_AHEAD = 200;

/** Nothing reports that memory, disk space or load recovered, so they are measured again after this time. */
const SHORTAGE_MS = 5_000;

/** What should be in flight: attempts as slots, agents and budgets allow, one run after the other, the conclusion of finished attempts, and landings. */
export function next(runs: readonly RunState[], schedulingInput: SchedulingInput): Admission {
  const tally = beginTally(runs, schedulingInput);
  const intents: Intent[] = [];
  let lines = [...tally.runs.values()]
    .filter((run) => run.state.status.kind === 'running')
    .map((run): RunLine => {
      const tasks = startable(run.state, schedulingInput, tally);
      return { run, tasks, head: tasks.next().value ?? undefined, decided: new Set() };
    });
  for (let line = first(lines, schedulingInput.now); line !== undefined; line = first(lines, schedulingInput.now)) {
    const chosen = line;
    const picked = pick(chosen, schedulingInput, tally);
    lines = lines.filter((each) => each !== chosen);
    if (picked.length === 0) continue;
    intents.push(...picked);
    lines.push(chosen);
  }
  for (const run of runs) {
    for (const due of dueQuestions(run, schedulingInput.now, tally))
      intents.push({ do: 'answer', run: run.start.run, ...due });
    for (const task of unsaved(run, schedulingInput)) intents.push({ do: 'conclude', run: run.start.run, task });
    if (!mayLand(run) || schedulingInput.landing.has(run.start.run)) continue;
    const tasks = Object.keys(run.landing);
    if (tasks.length > 0) intents.push({ do: 'land', run: run.start.run, tasks });
  }
  return { intents, wakeAt: tally.wakeAt, waits: waitsOf(tally, intents) };
}

/** The open questions whose deadline has passed: their default is the answer. */
function dueQuestions(run: RunState, now: number, tally: Tally): { task: TaskKey; question: string }[] {
  if (run.status.kind !== 'running') return [];
  return openQuestions(run).flatMap(({ task, question: { id, deadline } }) => {
    const phase = run.tasks[task]?.phase.status;
    if (deadline === undefined || (phase !== 'running' && phase !== 'blocked')) return [];
    if (deadline <= now) return [{ task, question: id }];
    wakeAt(tally, deadline);
    return [];
  });
}

/** A run waits when it starts nothing and nothing of it runs or lands. */
function waitsOf({ runs }: Tally, intents: readonly Intent[]): Record<string, Wait> {
  const acting = new Set(intents.map(({ run }) => run));
  const waits: Record<string, Wait> = {};
  for (const [id, { state, live, wait }] of runs) {
    const isIdle = live === 0 && state.status.kind === 'running' && Object.keys(state.landing).length === 0;
    const reason = wait ?? startWait(state);
    if (isIdle && !acting.has(id) && reason !== undefined) waits[id] = reason;
  }
  return waits;
}

/** The run whose next task has the highest priority; of equal ones the one that waits longest for its turn. */
function first(lines: readonly RunLine[], now: number): RunLine | undefined {
  return highest(lines, ({ run, head }) =>
    agedPriority(head?.spec.priority, { startedAt: run.state.startedAt, isIdle: run.live === 0, now }),
  );
}

function* startable(run: RunState, schedulingInput: SchedulingInput, tally: Tally): Generator<TaskState> {
  if (run.start.deadline !== undefined && !isPastDeadline(run, schedulingInput.now)) wakeAt(tally, run.start.deadline);
  yield* unclaimed(run, due(run, schedulingInput.now, tally), schedulingInput);
  yield* unclaimed(run, inOrder(run.ready), schedulingInput);
}

/** Whether the run may start nothing more because of its deadline. */
function isPastDeadline({ start: { deadline } }: RunState, now: number): boolean {
  return deadline !== undefined && now >= deadline;
}

function due(run: RunState, now: number, tally: Tally): TaskKey[] {
  const keys: TaskKey[] = [];
  for (const [key, at] of Object.entries(run.delayed)) {
    if (at <= now || isPastDeadline(run, now)) keys.push(key);
    else wakeAt(tally, at);
  }
  return keys;
}

function* unclaimed(run: RunState, keys: Iterable<TaskKey>, schedulingInput: SchedulingInput): Generator<TaskState> {
  let examined = 0;
  for (const key of keys) {
    if (schedulingInput.claimed.has(`${run.start.run} ${key}`)) continue;
    const task = run.tasks[key];
    if (task !== undefined) yield task;
    examined += 1;
    if (examined >= LOOK_AHEAD) return;
  }
}

function pick(line: RunLine, schedulingInput: SchedulingInput, tally: Tally): Intent[] {
  const { run } = line;
  const { state } = run;
  if (tally.slots <= 0 || run.live >= state.maxParallel) {
    if (schedulingInput.shortage !== undefined) wakeAt(tally, schedulingInput.now + SHORTAGE_MS);
    const waiting = tally.slots <= 0 ? line.head : undefined;
    if (waiting !== undefined)
      wait(run, waiting, reasonToWait(state, waiting, schedulingInput.outside) ?? slotsWait(schedulingInput));
    return [];
  }
  for (let task = line.head; task !== undefined; task = line.head) {
    line.head = line.tasks.next().value ?? undefined;
    const about = { run: state.start.run, task: task.spec.key };
    const giveUp = reasonToGiveUp(run, task, schedulingInput);
    if (giveUp !== undefined) return [{ do: 'give-up', ...about, ...giveUp }];
    const reservation = nextReservation(state, task);
    if (isPaused(state, task.spec.track)) continue;
    const reason = reasonToWait(state, task, schedulingInput.outside) ?? recoveryWait(run.recovery, state, task);
    if (reason !== undefined) {
      wait(run, task, reason);
      continue;
    }
    if (run.attempts >= state.start.config.limits.runAttempts) continue;
    const group = waitingGroup(state, task, schedulingInput.claimed);
    if (group !== undefined) {
      if (line.decided.has(task.spec.together ?? '')) continue;
      line.decided.add(task.spec.together ?? '');
      const intents = pickGroup(run, group, schedulingInput, tally);
      if (intents.length > 0) return intents;
      continue;
    }
    const limit = parallelLimit(run, task);
    if (limit !== undefined) {
      wait(run, task, { kind: 'slots', text: limit });
      continue;
    }
    if (affordable(state.start.config.budget, reservation, run.money) === 'later') {
      wait(run, task, { kind: 'budget', text: 'waits for money that running attempts have reserved' });
      continue;
    }
    const choice = route(state, task, { ...schedulingInput.availability, busy: tally.busy }, schedulingInput.now);
    if (choice.kind === 'never') return [{ do: 'block', ...about, reason: choice.because }];
    if (choice.kind === 'later') {
      if (choice.at !== undefined) wakeAt(tally, choice.at);
      wait(run, task, { kind: 'agent', ...choice.waitsFor });
      continue;
    }
    return [attemptIntent(run, tally, { task, reservation, choice })];
  }
  return [];
}

function attemptIntent(
  run: RunTally,
  tally: Tally,
  { task, reservation, choice }: { task: TaskState; reservation: Spend; choice: Extract<Route, { kind: 'agent' }> },
): Intent {
  tally.slots -= 1;
  tally.busy[choice.agent] = (tally.busy[choice.agent] ?? 0) + 1;
  setAside(run, task, reservation);
  const { kind: _, ...chosen } = choice;
  return { do: 'attempt', run: run.state.start.run, task: task.spec.key, ...chosen, reservation };
}

/** The starts of a whole group, or nothing; while it lacks only slots, no later run takes them. */
function pickGroup(run: RunTally, group: TaskState[], schedulingInput: SchedulingInput, tally: Tally): Intent[] {
  const { run: id } = run.state.start;
  const start = startTogether(run, group, { tally, input: schedulingInput });
  switch (start.kind) {
    case 'start':
      return start.members.map((member) => attemptIntent(run, tally, member));
    case 'block':
      return [{ do: 'block', run: id, task: start.task, reason: start.reason }];
    case 'never': {
      const { limit, reason } = start;
      const why = limit === undefined ? { kind: 'environment' as const } : { kind: 'budget' as const, limit };
      return start.tasks.map((task) => ({ do: 'give-up', run: id, task, reason, ...why }));
    }
    case 'wait': {
      const [first] = group;
      if (start.at !== undefined) wakeAt(tally, start.at);
      if (start.forSlots === true) tally.slots = 0;
      if (first !== undefined) wait(run, first, start.reason);
      return [];
    }
  }
}

function wakeAt(tally: Tally, at: number): void {
  tally.wakeAt = Math.min(tally.wakeAt ?? at, at);
}

/** Keeps the reason of the first task: it is the one that starts next. */
function wait(run: RunTally, { spec }: TaskState, reason: Omit<Wait, 'task'>): void {
  run.wait ??= { ...reason, task: spec.key };
}

/** Why the task can never start, if so. */
function reasonToGiveUp(
  { state, money, recovery }: RunTally,
  task: TaskState,
  schedulingInput: SchedulingInput,
): Pick<Extract<Intent, { do: 'give-up' }>, 'kind' | 'reason' | 'limit'> | undefined {
  const { limits, budget } = state.start.config;
  const { deadline } = state.start;
  if (isPastDeadline(state, schedulingInput.now)) {
    const reason = `the run stopped at its deadline, ${momentText(deadline ?? 0)}`;
    return { kind: 'timeout', limit: 'deadline', reason };
  }
  const before = outsideOf(task, schedulingInput.outside);
  if (before?.is === 'failed') return { kind: 'environment', reason: `it waits for ${before.ref}, which was not done` };
  if (state.attempts >= limits.runAttempts) {
    const reason = `the run's cap of ${limits.runAttempts} attempts is reached`;
    return { kind: 'budget', limit: 'run-attempts', reason };
  }
  const spent = before === undefined ? recoveryEnd(recovery, state, task) : undefined;
  if (spent !== undefined) return { kind: 'budget', limit: 'recovery-budget', reason: spent };
  const reservation = nextReservation(state, task);
  if (before !== undefined || affordable(budget, reservation, money) !== 'never') return undefined;
  const isInRun = affordable({ ...budget, project: undefined }, reservation, money) === 'never';
  const limit = isInRun ? 'run-budget' : 'project-budget';
  return { kind: 'budget', limit, reason: shortOfMoney(reservation, budget, money) };
}

function unsaved({ start, running, tasks }: RunState, { claimed }: SchedulingInput): TaskKey[] {
  return Object.keys(running).filter((key) => {
    const phase = tasks[key]?.phase;
    return phase?.status === 'running' && phase.unsaved !== undefined && !claimed.has(`${start.run} ${key}`);
  });
}

/** Work also lands while a plan or a task waits for a person, but not while the run is held because of an error. */
function mayLand({ status }: RunState): boolean {
  return status.kind === 'running' || (status.kind === 'held' && status.hold.what !== 'trouble');
}
