import type { Spend } from '../../schema/usage.ts';
import type { RunState, TaskState } from '../run/state.ts';
import { type Money, nextReservation, runMoney } from './budget.ts';
import { HostPool, type HostsInput } from './hosts.ts';
import { labelsOfTask } from './labels.ts';
import { addRecovery, type RecoveryTally, recoveryTally } from './recovery.ts';
import type { AgentAvailability } from './route.ts';
import type { Wait } from './start-time.ts';

/** The input of admission over all runs, evaluated in one synchronous step. */
export type SchedulingInput = {
  now: number;
  /** How many more attempts may start on this machine, besides those that are claimed. */
  slots: number;
  /** How many attempts may run on this machine at once, over all runs. */
  slotLimit?: number;
  /** By run: why it starts nothing although there are slots, such as less free memory than its settings require. */
  shortages?: Readonly<Record<string, string>>;
  availability: AgentAvailability;
  /** The cost of each project's other runs, which are not part of this input. */
  projects: Readonly<Record<string, number>>;
  /** Tasks that are already being started or landed, as `run task`. */
  claimed: ReadonlySet<string>;
  /** Tasks whose attempts wait in a tool call, as `run task`: they hold no slot and no account. */
  waiting?: ReadonlySet<string>;
  /** Runs with a landing in flight. */
  landing: ReadonlySet<string>;
  /** The status of other runs and tasks that tasks wait for by `after`; those not named are open. */
  outside: Readonly<Record<string, 'open' | 'done' | 'failed'>>;
  /** The machines that run attempts; without them all run on this one. */
  fleet?: HostsInput;
};

/** What is in flight over all runs, counted up while attempts are chosen. */
export type Tally = {
  /** How many more attempts may start on this machine, and on all hosts together. */
  slots: Record<'here' | 'onHosts', number>;
  busy: Record<string, number>;
  runs: Map<string, RunTally>;
  wakeAt: number | undefined;
  /** The free slots of each host, where there are hosts. */
  hosts: HostPool | undefined;
};
/** What a run has in flight, reserves and waits for. */
export type RunTally = {
  state: RunState;
  live: number;
  attempts: number;
  money: { run: Money; project: Money };
  recovery: RecoveryTally;
  /** The running attempts of its project, over all runs, and the most that may run. */
  project: { live: number; limit: number };
  /** Its running attempts by track. */
  tracks: Record<string, number>;
  /** Where its attempts run. */
  place: keyof Tally['slots'];
  /** On hosts: the limits of agents that its settings name. Those that agents have otherwise are for the logins of one machine, and each host has its slots. */
  agentLimits: Readonly<Record<string, number>>;
  /** Why the first task that could not start did not. */
  wait?: Wait;
};

/** Counts what is in flight before anything is added. */
export function beginTally(runs: readonly RunState[], schedulingInput: SchedulingInput): Tally {
  const projects = new Map<string, Money>();
  for (const [id, spentUsd] of Object.entries(schedulingInput.projects)) projects.set(id, { spentUsd, reservedUsd: 0 });
  const limits = new Map<string, RunTally['project']>();
  const tallies = new Map<string, RunTally>();
  for (const state of runs) {
    const project = projects.get(state.start.project.id) ?? { spentUsd: 0, reservedUsd: 0 };
    projects.set(state.start.project.id, project);
    project.spentUsd += state.spent.costUsd;
    project.reservedUsd += state.reserved.costUsd;
    const run = runMoney(state);
    const limit = limits.get(state.start.project.id) ?? { live: 0, limit: 0 };
    limits.set(state.start.project.id, limit);
    const live = state.counts.running - waitingIn(state, schedulingInput);
    limit.live += live;
    limit.limit = Math.max(limit.limit, state.maxParallel);
    const place = isOnHosts(state, schedulingInput.fleet) ? 'onHosts' : 'here';
    tallies.set(state.start.run, {
      state,
      live,
      attempts: state.attempts,
      money: { run, project },
      recovery: recoveryTally(state),
      project: limit,
      tracks: runningByTrack(state, schedulingInput),
      place,
      agentLimits: place === 'here' ? {} : configuredLimits(state),
    });
  }
  const { fleet, now, slots } = schedulingInput;
  const hosts = fleet === undefined ? undefined : new HostPool(fleet, now);
  for (const claim of schedulingInput.claimed)
    if (countClaim(tallies, claim)?.place === 'onHosts') hosts?.occupy(claim);
  return {
    hosts,
    slots: { here: slots, onHosts: hosts?.free ?? 0 },
    busy: { ...schedulingInput.availability.busy },
    runs: tallies,
    wakeAt: undefined,
  };
}

function configuredLimits({ start }: RunState): Record<string, number> {
  const limits: Record<string, number> = {};
  for (const [name, { maxParallel }] of Object.entries(start.config.agents))
    if (maxParallel !== undefined) limits[name] = maxParallel;
  return limits;
}

/** The agents with what this pass has started; an agent with a limit on every host that has it is rate-limited. Hosts decide which agents there are. */
export function availabilityOf(
  input: SchedulingInput,
  tally: Tally,
  { run, task }: { run: RunTally; task: TaskState },
): AgentAvailability {
  const { availability } = input;
  const { busy } = tally;
  const hosts = hostsOf(tally, run);
  if (hosts === undefined) return { ...availability, busy };
  const rateLimited = { ...availability.rateLimited };
  for (const [login, until] of Object.entries(hosts.rateLimited))
    rateLimited[login] = Math.max(rateLimited[login] ?? 0, until);
  const maxParallel = run.agentLimits;
  return { ...availability, busy, rateLimited, maxParallel, offered: hosts.offered(labelsOfTask(run.state, task)) };
}

/** The hosts for the attempts of a run; undefined where this machine performs them. */
export function hostsOf({ hosts }: Tally, { place }: RunTally): HostPool | undefined {
  return place === 'onHosts' ? hosts : undefined;
}

/** Whether hosts perform the attempts of a run, and the limits of this machine do not apply to them. */
export function isOnHosts({ start }: RunState, fleet: HostsInput | undefined): boolean {
  return fleet !== undefined && (fleet.runs === undefined || fleet.runs.has(start.run));
}

/** A claimed start that is not recorded yet already counts for budgets and caps; undefined if it is recorded. */
function countClaim(tallies: ReadonlyMap<string, RunTally>, claim: string): RunTally | undefined {
  const space = claim.indexOf(' ');
  const tally = tallies.get(claim.slice(0, space));
  const task = tally?.state.tasks[claim.slice(space + 1)];
  if (tally === undefined || task?.phase.status !== 'ready') return undefined;
  setAside(tally, task, nextReservation(tally.state, task));
  return tally;
}

/** Counts an attempt that is about to start. */
export function setAside(tally: RunTally, task: TaskState, reservation: Spend): void {
  const { spec } = task;
  tally.live += 1;
  addRecovery(tally.recovery, tally.state, task);
  tally.project.live += 1;
  if (spec.track !== undefined) tally.tracks[spec.track] = (tally.tracks[spec.track] ?? 0) + 1;
  tally.attempts += 1;
  tally.money.run.reservedUsd += reservation.costUsd;
  tally.money.project.reservedUsd += reservation.costUsd;
}

/** Which limit on concurrent attempts, of its track or its project, a task would exceed, if any. */
export function parallelLimit({ state, project, tracks }: RunTally, { spec }: TaskState): string | undefined {
  if (project.live >= project.limit) return `${project.limit} of ${project.limit} attempts of the project are running`;
  const most = spec.track === undefined ? undefined : state.start.config.tracks[spec.track]?.features;
  if (most === undefined || (tracks[spec.track ?? ''] ?? 0) < most) return undefined;
  return `track ${spec.track} is busy with ${most} of ${most} attempts`;
}

function waitingIn({ start, running }: RunState, { waiting }: SchedulingInput): number {
  if (waiting === undefined || waiting.size === 0) return 0;
  return Object.keys(running).filter((key) => waiting.has(`${start.run} ${key}`)).length;
}

function runningByTrack({ start, running, tasks }: RunState, { waiting }: SchedulingInput): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const key of Object.keys(running)) {
    const track = tasks[key]?.spec.track;
    if (track !== undefined && waiting?.has(`${start.run} ${key}`) !== true) counts[track] = (counts[track] ?? 0) + 1;
  }
  return counts;
}
