import { type StartAttempt, startAttempt } from '../../core/attempt/decide-attempt.ts';
import { commitsForHost, rolesForHost, stateForHost } from '../../core/attempt/order.ts';
import { evolve } from '../../core/run/evolve.ts';
import { taskOf } from '../../core/run/phase.ts';
import { valuesFor } from '../../core/run/recorded-config.ts';
import { lastAttempt, type RunState, type TaskState } from '../../core/run/state.ts';
import { limitsOfHost } from '../../core/schedule/account.ts';
import { endOfDay } from '../../core/schedule/budget.ts';
import { failedHosts } from '../../core/schedule/host-of-task.ts';
import type { HostInput, HostsInput } from '../../core/schedule/hosts.ts';
import { labelsOfTask } from '../../core/schedule/labels.ts';
import type { GateResult } from '../../gates/gate.ts';
import { attemptId, type TaskKey } from '../../schema/ids.ts';
import { type Fleet, type FleetHost, HOSTS_RELEASE, isReleaseAccepted } from '../../store/fleet.ts';
import { checkpointSection, memorySection } from '../attempt/memory.ts';
import { projectHosts } from '../attempt/network.ts';
import { readProgress } from '../attempt/progress-file.ts';
import type { CheckRequest } from '../land/check-request.ts';
import type { ActiveRun, AttemptHosts, EngineContext, Executor, OrderOf } from '../loop/context.ts';
import type { AttemptOrder } from './attempt-order.ts';
import { checkOnHost } from './check-on-host.ts';
import { CheckSlots } from './check-slots.ts';
import { Exchange, exchangeForHosts, exchangeUrl } from './exchange.ts';
import { followAttempt } from './follow-attempt.ts';

/** The tasks that are claimed, the hosts that they are to start on, those that wait in a tool call, and the rate-limited accounts. */
type HostsProgress = {
  claimed: ReadonlySet<string>;
  claimedHosts: ReadonlyMap<string, string>;
  waiting: ReadonlySet<string>;
  rateLimited: Readonly<Record<string, number>>;
};

/** After so many attempts in a row that could not begin on a host, it gets none for a while. */
const MOST_FAILURES = 3;

/** The hosts of an installation as the engine that leads it uses them. */
export class RemoteHosts implements AttemptHosts {
  readonly executor: Executor;
  readonly exchange = new Exchange();
  readonly #fleet: Fleet;
  readonly #checkSlots: CheckSlots;
  /** How many attempts in a row could not begin on a host. */
  readonly #failures = new Map<string, number>();

  constructor(fleet: Fleet, onChange: () => void) {
    this.#fleet = fleet;
    this.executor = {
      perform: (ctx, run, task) => followAttempt(ctx, run, { task, fleet }),
      adopt: (ctx, run, task) => followAttempt(ctx, run, { task, fleet, isAdopted: true }),
      check: (ctx, run, request) => this.#check(ctx, run, request),
    };
    this.#checkSlots = new CheckSlots(fleet);
    fleet.onChange(onChange);
  }

  offers(agent: NamedAgent): boolean {
    return this.#usableHosts().some((host) => hasAgent(host, agent));
  }

  isPossibleElsewhere(run: ActiveRun, task: TaskState): boolean {
    const attempt = lastAttempt(task);
    const agent = run.agents.get(attempt?.agent ?? '');
    if (attempt === undefined || agent === undefined) return false;
    const failed = new Set([attempt.host, ...failedHosts(task)]);
    const labels = labelsOfTask(run.ledger.state, task);
    return this.#usableHosts().some(
      (host) =>
        !host.isDraining &&
        !failed.has(host.name) &&
        hasAgent(host, agent) &&
        labels.every((label) => host.labels.includes(label)),
    );
  }

  noteEnd(host: string, couldBegin: boolean): boolean {
    const count = couldBegin ? 0 : (this.#failures.get(host) ?? 0) + 1;
    this.#failures.set(host, count);
    return count >= MOST_FAILURES;
  }

  isUsedBy({ ledger }: ActiveRun): boolean {
    return ledger.state.start.config.hosts.git !== undefined;
  }

  async #check(ctx: EngineContext, run: ActiveRun, request: CheckRequest): Promise<GateResult> {
    const { tasks } = request.candidate;
    const share = (commits: readonly string[]) => this.exchange.share(ctx, run, { tasks, commits });
    return checkOnHost(ctx, run, request, { fleet: this.#fleet, slots: this.#checkSlots, share });
  }

  /** The input of admission; undefined while no run uses hosts. */
  schedulingInput(
    runs: readonly ActiveRun[],
    { claimed, claimedHosts, waiting, rateLimited }: HostsProgress,
  ): HostsInput | undefined {
    const onHosts = runs.filter((run) => this.isUsedBy(run));
    if (onHosts.length === 0) return undefined;
    const busy = busyOf(onHosts, new Set([...claimed].filter((task) => !waiting.has(task))));
    const agents = agentsOf(onHosts);
    return {
      hosts: this.#usableHosts().map((host) => ({
        ...hostInput(host, agents, busy.get(host.name) ?? 0),
        rateLimited: limitsOfHost(rateLimited, host.name),
      })),
      claimed: claimedHosts,
      runs: new Set(onHosts.map(({ id }) => id)),
    };
  }

  /** The hosts that are up, of a release that this program understands. */
  #usableHosts(): FleetHost[] {
    return this.#fleet.hosts.filter(
      ({ instance, release }) => instance !== null && isReleaseAccepted(release, HOSTS_RELEASE),
    );
  }

  async prepareOrder(
    ctx: EngineContext,
    run: ActiveRun,
    { task: key, host }: { task: TaskKey; host: string },
  ): Promise<OrderOf | undefined> {
    const { config } = run.ledger.state.start;
    const url = exchangeUrl(ctx, config);
    if (url === undefined) return undefined;
    const task = taskOf(run.ledger.state, key);
    const commits = commitsForHost(run.ledger.state, key);
    const signal = AbortSignal.any([ctx.stopping, run.cancel.signal]);
    if (!(await this.exchange.push(ctx, run, { tasks: [key], url, commits, signal }))) return undefined;
    const attempt = attemptId(run.id, task.ordinal, task.attempts.length + 1);
    const memory = await memorySection(ctx, run, { task, attempt });
    const progress = await readProgress(run);
    const reachable = await projectHosts(run);
    const access = await exchangeForHosts(ctx, config, { order: attempt, host, commits });
    return (claim) => {
      const { state } = run.ledger;
      const instance = this.#fleet.hosts.find(({ name }) => name === host)?.instance;
      const needed = [...new Set([claim.base, ...commitsForHost(state, key)])];
      if (instance == null || needed.some((commit) => !commits.includes(commit))) return undefined;
      const started = claimedState(state, { ...claim, host }, ctx.world.now());
      const number = taskOf(started, key).attempts.length;
      const id = attemptId(run.id, task.ordinal, number);
      if (access.token !== undefined && id !== attempt) return undefined;
      const order: AttemptOrder = {
        kind: 'attempt',
        state: started,
        task: key,
        roles: rolesForHost(run.roleTexts, task),
        memory: `${checkpointSection(ctx, run, { task, session: claim.session })}${id === attempt ? memory : ''}`,
        progress,
        head: ctx.store.head(run.ledger.stream),
        spentToday: { usd: ctx.spentToday(claim.agent), until: endOfDay(ctx.world.now()) },
        hasSecrets: Object.keys(valuesFor(run.config, claim.agent)).length > 0,
        projectHosts: reachable,
        git: { ...access, objectFormat: run.project.mirror.objectFormat, commits: needed },
      };
      return { id, kind: 'attempt', host, instance, body: JSON.stringify(order) };
    };
  }
}

/** The state with the claim, as far as a host needs it; a copy, because folding changes it. */
function claimedState(state: RunState, claim: StartAttempt, at: number): RunState {
  const copy = structuredClone(stateForHost(state, claim.task));
  for (const event of startAttempt(copy, claim)) evolve(copy, { event, at });
  return copy;
}

/** How many attempts each host performs. */
function busyOf(runs: readonly ActiveRun[], claimed: ReadonlySet<string>): Map<string, number> {
  const busy = new Map<string, number>();
  for (const { id, ledger } of runs) {
    const { state } = ledger;
    for (const key of Object.keys(state.running)) {
      const host = state.tasks[key]?.attempts.at(-1)?.host;
      if (host !== undefined && claimed.has(`${id} ${key}`)) busy.set(host, (busy.get(host) ?? 0) + 1);
    }
  }
  return busy;
}

/** A host has an agent if it has its kind, or one of this name. */
function hasAgent({ agents }: FleetHost, { name, kind }: NamedAgent): boolean {
  return agents.includes(kind) || agents.includes(name);
}

type NamedAgent = { name: string; kind: string };

/** The agents of all runs, each once: many runs use the same few. */
function agentsOf(runs: readonly ActiveRun[]): NamedAgent[] {
  const agents = new Map<string, NamedAgent>();
  for (const run of runs)
    for (const { name, kind } of run.agents.values()) agents.set(`${name} ${kind}`, { name, kind });
  return [...agents.values()];
}

function hostInput(host: FleetHost, agents: readonly NamedAgent[], busy: number): Omit<HostInput, 'rateLimited'> {
  const offered = agents.filter((agent) => hasAgent(host, agent));
  return {
    name: host.name,
    slots: host.slots,
    free: host.slots - busy,
    agents: [...new Set(offered.map(({ name }) => name))],
    labels: host.labels,
    ...(host.isDraining ? { isDraining: true } : {}),
  };
}
