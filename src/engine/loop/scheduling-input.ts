import { statfsSync } from 'node:fs';
import { availableParallelism, freemem, loadavg } from 'node:os';
import type { RunState } from '../../core/run/state.ts';
import { evolveRateLimits } from '../../core/schedule/account.ts';
import { spentSince, startOfDay } from '../../core/schedule/budget.ts';
import type { HostsInput } from '../../core/schedule/hosts.ts';
import type { AgentAvailability } from '../../core/schedule/route.ts';
import { isOnHosts, type SchedulingInput } from '../../core/schedule/tally.ts';
import type { Home } from '../../home.ts';
import type { Config } from '../../schema/config.ts';
import { AccountEvent, ProjectEvent } from '../../schema/event.ts';
import { projectStream, runStream } from '../../schema/ids.ts';
import type { Store, Write } from '../../store/store.ts';
import type { World } from '../../world.ts';
import type { ActiveRun } from './context.ts';
import { accountOf, loadRateLimits, loadRun } from './ledger.ts';

type OutsideStatus = SchedulingInput['outside'][string];
type Progress = Pick<SchedulingInput, 'claimed' | 'landing'> & {
  waiting: ReadonlySet<string>;
  isDraining: boolean;
  fleet: HostsInput | undefined;
};

const MEGABYTE = 1024 * 1024;

/** Tracks the scheduling input that is not part of a single run: rate-limited accounts, spending of projects, runs that others wait for. */
export class SchedulingInputTracker {
  readonly #rateLimited: Record<string, number>;
  readonly #spent = new Map<string, Map<string, number>>();
  readonly #settled = new Map<string, OutsideStatus>();
  /** The runs of today that are not active, as they were when the active ones last changed. */
  #otherRuns: { names: string; at: number; states: RunState[] } | undefined;
  readonly #store: Store;
  readonly #world: World;
  readonly #home: Home;

  constructor({ store, world, home }: { store: Store; world: World; home: Home }) {
    this.#store = store;
    this.#world = world;
    this.#home = home;
    this.#rateLimited = loadRateLimits(store);
  }

  /** Rate-limited accounts, and until when. */
  get rateLimited(): Readonly<Record<string, number>> {
    return this.#rateLimited;
  }

  /** Records what was written to the streams of accounts and projects. */
  record(writes: readonly Write[]): void {
    for (const { stream, events } of writes) {
      const account = accountOf(stream);
      for (const event of events) {
        const limited = AccountEvent.safeParse(event);
        if (account !== undefined && limited.success) evolveRateLimits(this.#rateLimited, account, limited.data);
        const spent = ProjectEvent.safeParse(event);
        if (spent.success && spent.data.type === 'project.spent') {
          this.#spent.get(stream)?.set(spent.data.data.run, spent.data.data.spend.costUsd);
        }
      }
    }
  }

  /** The input of one scheduling pass over these runs; an engine that drains starts and lands nothing. */
  input(
    runs: ReadonlyMap<string, ActiveRun>,
    { claimed, landing, waiting, isDraining, fleet }: Progress,
  ): SchedulingInput {
    const active = [...runs.values()];
    const states = active.map((run) => run.ledger.state);
    const here = states.filter((state) => !isOnHosts(state, fleet));
    const runsHere = new Set(here.map(({ start }) => start.run));
    const isHere = (task: string) => runsHere.has(task.slice(0, task.indexOf(' ')));
    const busyHere = [...claimed].filter((task) => isHere(task) && !waiting.has(task)).length;
    return {
      now: this.#world.now(),
      ...(isDraining
        ? { slots: 0, shortages: Object.fromEntries(active.map(({ id }) => [id, 'the engine is ending'])) }
        : slotsFor(here, busyHere, this.#home)),
      availability: this.#availability(runs, new Set([...claimed].filter((task) => !waiting.has(task)))),
      waiting,
      projects: this.#spentByOthers(states),
      claimed,
      landing: isDraining ? new Set(runs.keys()) : landing,
      outside: this.#outside(runs, states),
      ...(fleet === undefined ? {} : { fleet }),
    };
  }

  #availability(active: ReadonlyMap<string, ActiveRun>, claimed: ReadonlySet<string>): AgentAvailability {
    const busy: Record<string, number> = {};
    for (const run of active.values()) {
      const { state } = run.ledger;
      for (const key of Object.keys(state.running)) {
        const agent = state.tasks[key]?.attempts.at(-1)?.agent;
        if (agent !== undefined && claimed.has(`${run.id} ${key}`)) busy[agent] = (busy[agent] ?? 0) + 1;
      }
    }
    const maxParallel = agentLimits([...active.values()].flatMap(({ agents }) => [...agents.values()]));
    return { rateLimited: this.#rateLimited, busy, maxParallel, spentToday: this.spentToday(active) };
  }

  /** What each agent has spent today; empty where no agent of these runs has a daily cap. */
  spentToday(runs: ReadonlyMap<string, ActiveRun>): Record<string, number> {
    const states = [...runs.values()].map((run) => run.ledger.state);
    const hasCap = states.some(({ start }) =>
      Object.values(start.config.agents).some(({ spendUsdPerDay }) => spendUsdPerDay !== undefined),
    );
    if (!hasCap) return {};
    const now = this.#world.now();
    const names = [...runs.keys()].sort().join(' ');
    const otherRuns = this.#otherRuns;
    if (otherRuns === undefined || otherRuns.names !== names || startOfDay(otherRuns.at) !== startOfDay(now))
      this.#otherRuns = { names, at: now, states: runsOfToday(this.#store, now, runs) };
    return spentSince([...states, ...(this.#otherRuns?.states ?? [])], startOfDay(now));
  }

  /** What the ended runs of these projects have spent. */
  #spentByOthers(states: readonly RunState[]): Record<string, number> {
    const spent: Record<string, number> = {};
    const active = new Set(states.map((state) => state.start.run));
    for (const { start } of states) {
      if (start.config.budget.project === undefined || spent[start.project.id] !== undefined) continue;
      let sum = 0;
      for (const [run, costUsd] of this.#spentBy(projectStream(start.project.id))) if (!active.has(run)) sum += costUsd;
      spent[start.project.id] = sum;
    }
    return spent;
  }

  /** The status of the runs and tasks that tasks of these runs wait for. */
  #outside(runs: ReadonlyMap<string, ActiveRun>, states: readonly RunState[]): Record<string, OutsideStatus> {
    const status: Record<string, OutsideStatus> = {};
    for (const state of states) {
      const first = state.order[0];
      for (const ref of (first === undefined ? undefined : state.tasks[first]?.spec.after) ?? []) {
        status[ref] = this.#outsideStatus(ref, runs);
      }
    }
    return status;
  }

  #outsideStatus(ref: string, runs: ReadonlyMap<string, ActiveRun>): OutsideStatus {
    const known = this.#settled.get(ref);
    if (known !== undefined) return known;
    const slash = ref.indexOf('/');
    const run = slash < 0 ? ref : ref.slice(0, slash);
    const state = runs.get(run)?.ledger.state ?? loadRun(this.#store, runStream(run));
    const status = slash < 0 ? runOutcome(state) : taskOutcome(state, ref.slice(slash + 1));
    if (status === 'done') this.#settled.set(ref, status);
    return status;
  }

  #spentBy(stream: string): Map<string, number> {
    let known = this.#spent.get(stream);
    if (known === undefined) {
      known = new Map();
      this.#spent.set(stream, known);
      this.record([{ stream, expected: -1, events: this.#store.read(stream) }]);
    }
    return known;
  }
}

/** The recorded runs with events of today, except the active ones. */
export function runsOfToday(store: Store, now: number, active: ReadonlyMap<string, unknown>): RunState[] {
  return store.streams('run/').flatMap(({ stream, lastAt }) => {
    const isOther = lastAt >= startOfDay(now) && !active.has(stream.slice('run/'.length));
    return isOther ? [loadRun(store, stream)] : [];
  });
}

/** The free slots, and the runs that may not use them because of the memory, disk space or load of the machine. */
function slotsFor(
  states: readonly RunState[],
  busy: number,
  home: Home,
): Pick<SchedulingInput, 'slots' | 'slotLimit' | 'shortages'> {
  const slotLimit = Math.max(0, ...states.map((state) => state.maxParallel));
  const slots = slotLimit - busy;
  if (slots <= 0) return { slots, slotLimit };
  const [lastMinute = 0] = loadavg();
  const machine = {
    memory: freemem(),
    disk: freeDisk(home.root),
    loadPerCore: lastMinute / availableParallelism(),
  };
  const shortages = states.flatMap(({ start }) => {
    const shortage = shortageFor(start.config.limits, machine);
    return shortage === undefined ? [] : [[start.run, shortage]];
  });
  return { slots, slotLimit, shortages: Object.fromEntries(shortages) };
}

/** What of the machine is less than these limits require before an attempt starts, if anything is. */
function shortageFor(
  { freeMemoryMb, freeDiskMb, loadPerCore = Number.POSITIVE_INFINITY }: Config['limits'],
  machine: { memory: number; disk: number; loadPerCore: number },
): string | undefined {
  if (machine.memory < freeMemoryMb * MEGABYTE) return `less than ${freeMemoryMb} MB of memory is free`;
  if (machine.disk < freeDiskMb * MEGABYTE) return `less than ${freeDiskMb} MB of disk space is free`;
  return machine.loadPerCore > loadPerCore
    ? `the load of the machine is over ${loadPerCore} per processor core`
    : undefined;
}

function freeDisk(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

function runOutcome(state: RunState): OutsideStatus {
  if (state.status.kind !== 'ended') return 'open';
  return state.status.status === 'done' || state.status.status === 'unverified' ? 'done' : 'failed';
}

function taskOutcome(state: RunState, key: string): OutsideStatus {
  const status = state.tasks[key]?.phase.status;
  if (status === 'done') return 'done';
  if (status === undefined) return state.status.kind === 'ended' ? 'failed' : 'open';
  return status === 'failed' || status === 'skipped' || status === 'cancelled' ? 'failed' : 'open';
}

/** How many attempts of each agent may run at once: a name is one login for all runs, so the smallest value of the active ones applies. */
export function agentLimits(agents: readonly { name: string; maxParallel: number }[]): Record<string, number> {
  const limits: Record<string, number> = {};
  for (const { name, maxParallel } of agents) limits[name] = Math.min(maxParallel, limits[name] ?? maxParallel);
  return limits;
}
