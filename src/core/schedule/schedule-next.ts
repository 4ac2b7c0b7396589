import type { TaskKey } from '../../schema/ids.ts';
import type { Spend } from '../../schema/usage.ts';
import { openQuestions } from '../attempt/decide-question.ts';
import type { RunState, TaskState } from '../run/state.ts';
import { isPaused } from '../view/attention.ts';
import { affordable, nextReservation } from './budget.ts';
import { type GiveUpReason, isPastDeadline, reasonToGiveUp } from './give-up.ts';
import { failedHosts, hostOfTask } from './host-of-task.ts';
import { type HostPlacement, placeAll } from './hosts.ts';
import { labelsOfTask } from './labels.ts';
import { agedPriority, inOrder } from './queue.ts';
import { recoveryWait } from './recovery.ts';
import { type Route, route } from './route.ts';
import { RunOrder } from './run-order.ts';
import { reasonToWait, slotsWait, startWait, type Wait } from './start-time.ts';
import { startTogether, waitingGroup } from './start-together.ts';
import {
  availabilityOf,
  beginTally,
  hostsOf,
  parallelLimit,
  type RunTally,
  type SchedulingInput,
  setAside,
  type Tally,
} from './tally.ts';

/** An action to perform now. */
export type Intent =
  | ({ do: 'attempt'; run: string; task: TaskKey; reservation: Spend; host?: string } & Omit<
      Extract<Route, { kind: 'agent' }>,
      'kind'
    >)
  | ({ do: 'give-up'; run: string; task: TaskKey } & GiveUpReason)
  | { do: 'block'; run: string; task: TaskKey; reason: string }
  | { do: 'answer'; run: string; task: TaskKey; question: string }
  | { do: 'conclude'; run: string; task: TaskKey }
  | { do: 'land'; run: string; tasks: TaskKey[] };

/** `waits`: by run, why a running run of which nothing is in progress starts nothing. */
export type Admission = { intents: Intent[]; wakeAt: number | undefined; waits: Record<string, Wait> };

/** A task that can start, and by whom. */
type Start = { task: TaskState; reservation: Spend; choice: Extract<Route, { kind: 'agent' }> };

/** A run with the next task that it would start. */
type RunLine = {
  run: RunTally;
  tasks: Generator<TaskState>;
  head: TaskState | undefined;
  /** The groups of tasks that start together and were decided on in this pass. */
  decided: Set<string>;
  /** What tasks that wait for an agent or a host have in common: in this pass neither becomes free. */
  waiting: Set<string>;
};

/** How many tasks of a run's queue are examined for one that can start. */
const LOOK_AHEAD = 200;

/** Nothing reports that memory, disk space or load recovered, so they are measured again after this time. */
const SHORTAGE_MS = 5_000;

/** What should be in flight: attempts as slots, agents and budgets allow, one run after the other, the conclusion of finished attempts, and landings. */
export function next(runs: readonly RunState[], schedulingInput: SchedulingInput): Admission {
  const tally = beginTally(runs, schedulingInput);
  const intents: Intent[] = [];
  const lines = [...tally.runs.values()]
    .filter((run) => run.state.status.kind === 'running')
    .map((run): RunLine => {
      const tasks = startable(run.state, schedulingInput, tally);
      return { run, tasks, head: tasks.next().value ?? undefined, decided: new Set(), waiting: new Set() };
    });
  const order = orderOf(lines, schedulingInput);
  for (let line = order.next(); line !== undefined; line = order.next()) {
    const picked = pick(line, schedulingInput, tally);
    if (picked.length === 0) continue;
    intents.push(...picked);
    order.again(line);
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

/** Where projects share hosts, none gets more of them because it has more runs. */
function orderOf(lines: readonly RunLine[], { now, fleet }: SchedulingInput): RunOrder<RunLine> {
  return new RunOrder(lines, {
    priorityOf: ({ run, head }) =>
      agedPriority(head?.spec.priority, { startedAt: run.state.startedAt, isIdle: run.live === 0, now }),
    groupOf:
      fleet === undefined ? undefined : ({ run }) => ({ id: run.state.start.project.id, load: run.project.live }),
  });
}

function* startable(run: RunState, schedulingInput: SchedulingInput, tally: Tally): Generator<TaskState> {
  if (run.start.deadline !== undefined && !isPastDeadline(run, schedulingInput.now)) wakeAt(tally, run.start.deadline);
  yield* unclaimed(run, due(run, schedulingInput.now, tally), schedulingInput);
  yield* unclaimed(run, inOrder(run.ready), schedulingInput);
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
  const { slotLimit, shortages, outside } = schedulingInput;
  const shortage = shortages?.[state.start.run];
  const isHeld = tally.slots[run.place] <= 0 || shortage !== undefined;
  if (isHeld || run.live >= state.maxParallel) {
    if (shortage !== undefined) wakeAt(tally, schedulingInput.now + SHORTAGE_MS);
    const slots = slotsWait({ slotLimit: run.place === 'here' ? slotLimit : undefined, shortage });
    if (isHeld && line.head !== undefined) wait(run, line.head, reasonToWait(state, line.head, outside) ?? slots);
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
    const kind = kindOf(run, task);
    if (kind !== undefined && line.waiting.has(kind)) continue;
    const choice = route(state, task, availabilityOf(schedulingInput, tally, { run, task }), schedulingInput.now);
    if (choice.kind === 'never') return [{ do: 'block', ...about, reason: choice.because }];
    if (choice.kind === 'later') {
      if (choice.at !== undefined) wakeAt(tally, choice.at);
      wait(run, task, { kind: 'agent', ...choice.waitsFor });
      if (kind !== undefined) line.waiting.add(kind);
      continue;
    }
    const placed = placeAll(hostsOf(tally, run), [hostRequest(run, { task, choice })]);
    if (placed.kind === 'later') {
      if (placed.at !== undefined) wakeAt(tally, placed.at);
      wait(run, task, { kind: 'slots', text: placed.text });
      if (kind !== undefined) line.waiting.add(kind);
      continue;
    }
    return [attemptIntent(run, tally, { task, reservation, choice, host: placed.hosts[0] })];
  }
  return [];
}

/** Tasks of one kind get the same agent and the same hosts; undefined for one that is treated on its own. */
function kindOf({ state, place }: RunTally, task: TaskState): string | undefined {
  const { spec, messages } = task;
  if (spec.verifies !== undefined || spec.avoidsAgentOf !== undefined || messages.length > 0) return undefined;
  if (place === 'onHosts' && (hostOfTask(state, task) ?? failedHosts(task)[0]) !== undefined) return undefined;
  return `${spec.role} ${spec.labels?.join() ?? ''} ${spec.agent ?? ''} ${spec.access} ${spec.verify?.role ?? ''} ${spec.verify?.agent ?? ''}`;
}

/** What the start of a task needs of a host. */
function hostRequest({ state }: RunTally, { task, choice: { agent, account } }: Pick<Start, 'task' | 'choice'>) {
  const labels = labelsOfTask(state, task);
  const config = state.start.config.agents[agent];
  return { kept: hostOfTask(state, task), failed: failedHosts(task), agent, account, labels, config };
}

function attemptIntent(
  run: RunTally,
  tally: Tally,
  { task, reservation, choice, host }: Start & { host: HostPlacement | undefined },
): Intent {
  tally.slots[run.place] -= 1;
  tally.busy[choice.agent] = (tally.busy[choice.agent] ?? 0) + 1;
  setAside(run, task, reservation);
  const { kind: _, ...chosen } = choice;
  const closed = [...new Set([...(choice.closed ?? []), ...(host?.closed ?? [])])];
  const on = host === undefined ? {} : { host: host.host, ...(closed.length === 0 ? {} : { closed }) };
  return { do: 'attempt', run: run.state.start.run, task: task.spec.key, ...chosen, ...on, reservation };
}

/** The starts of a whole group, or nothing; while it lacks only slots, no later run takes them. */
function pickGroup(run: RunTally, group: TaskState[], schedulingInput: SchedulingInput, tally: Tally): Intent[] {
  const { run: id } = run.state.start;
  const start = startTogether(run, group, { tally, input: schedulingInput });
  switch (start.kind) {
    case 'start': {
      const starts = start.members.map((member) => hostRequest(run, member));
      const placed = placeAll(hostsOf(tally, run), starts);
      if (placed.kind === 'placed')
        return start.members.map((member, index) =>
          attemptIntent(run, tally, { ...member, host: placed.hosts[index] }),
        );
      const [first] = group;
      if (placed.at !== undefined) wakeAt(tally, placed.at);
      if (first !== undefined) wait(run, first, { kind: 'slots', text: placed.text });
      return [];
    }
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
      if (start.forSlots === true) tally.slots[run.place] = 0;
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
