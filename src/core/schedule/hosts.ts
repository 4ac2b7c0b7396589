import type { AgentConfig } from '../../schema/config/agent.ts';
import { modelsOf } from '../models/tier.ts';
import { accountName, limitOf } from './account.ts';
import { Heap } from './heap.ts';

/** A machine that runs attempts, as admission sees it. */
export type HostInput = {
  name: string;
  /** How many attempts it may run at once, and how many more may start. */
  slots: number;
  free: number;
  /** The agents that are installed and logged in there. */
  agents: readonly string[];
  labels: readonly string[];
  /** Logins of this host that are rate-limited, and until when: an agent's name, or `agent/account`; with `#family` only those models. */
  rateLimited: Readonly<Record<string, number>>;
  /** It finishes what it runs, and gets nothing new. */
  isDraining?: boolean;
};

/** The hosts of an installation; tasks are named as `run task`. */
export type HostsInput = {
  hosts: readonly HostInput[];
  /** The hosts of starts that are claimed; one that is not recorded yet is not part of what its host has free. */
  claimed?: ReadonlyMap<string, string>;
  /** The runs whose attempts are performed by hosts; without this all are. */
  runs?: ReadonlySet<string>;
};

/** What a start needs of a host. */
type HostRequest = {
  /** The host that keeps the workspace or the session of the task. */
  kept?: string | undefined;
  /** The hosts on which the task could not begin; they get it only if no other host suits it. */
  failed?: readonly string[];
  agent: string;
  account?: string | undefined;
  labels: readonly string[];
  /** The settings of the agent, which say which models it may use. */
  config: AgentConfig | undefined;
};
type Needs = Omit<HostRequest, 'kept' | 'failed'>;

/** `closed`: the model families that are rate-limited for this login on the host. */
type Placement =
  | { kind: 'host'; host: string; closed: string[] }
  | { kind: 'later'; at: number | undefined; text: string };

/** A host that was chosen. */
export type HostPlacement = Extract<Placement, { kind: 'host' }>;

type Candidate = { host: HostInput; free: number };
type Requirement = { candidates: Heap<Candidate>; count: number; soonest: number | undefined };

/**
 * The free slots of all hosts, taken one by one during a pass. A host keeps a task that has its workspace there; else the
 * one with the largest share of free slots gets it. Hosts are indexed by what a task requires, so that a choice takes
 * logarithmic time; an entry whose host has fewer free slots by now is put back in its place when it comes up.
 */
export class HostPool {
  readonly #input: HostsInput;
  readonly #now: number;
  readonly #hosts: Map<string, Candidate>;
  readonly #requirements = new Map<string, Requirement>();
  readonly #offered = new Map<string, ReadonlySet<string>>();
  /** Logins that are rate-limited on every host that has their agent, and until when. */
  readonly rateLimited: Readonly<Record<string, number>>;

  constructor(input: HostsInput, now: number) {
    this.#input = input;
    this.#now = now;
    this.rateLimited = rateLimitedEverywhere(input.hosts, now);
    this.#hosts = new Map(
      input.hosts.map((host) => [host.name, { host, free: host.isDraining === true ? 0 : host.free }]),
    );
  }

  /** How many attempts can start on all hosts together. */
  get free(): number {
    let sum = 0;
    for (const { free } of this.#hosts.values()) sum += Math.max(free, 0);
    return sum;
  }

  /** The agents of the hosts that have these labels and are not draining. */
  offered(labels: readonly string[]): ReadonlySet<string> {
    const key = labels.toSorted().join();
    const known = this.#offered.get(key);
    if (known !== undefined) return known;
    const suitable = this.#input.hosts.filter((host) => isOpen(host) && hasLabels(host, labels));
    const agents = new Set(suitable.flatMap((host) => host.agents));
    this.#offered.set(key, agents);
    return agents;
  }

  /** Takes the slot of a start that is claimed already. */
  occupy(task: string): void {
    const current = this.#hosts.get(this.#input.claimed?.get(task) ?? '');
    if (current !== undefined) current.free -= 1;
  }

  /** Takes a slot for a task, if a host has one. */
  take({ kept: name, failed = [], ...needs }: HostRequest): Placement {
    const kept = this.#hosts.get(name ?? '');
    if (kept !== undefined && kept.free > 0 && this.#suits(kept.host, needs)) return this.#taken(kept, needs);
    if (failed.length > 0) {
      const others = this.#input.hosts.filter((host) => hasAll(host, needs) && !failed.includes(host.name));
      if (others.length > 0) return this.#takeOf(others, needs);
    }
    const requirement = this.#requirementFor(needs);
    const { candidates } = requirement;
    for (let top = candidates.pop(); top !== undefined; top = candidates.pop()) {
      const current = this.#hosts.get(top.host.name);
      if (current === undefined || current.free <= 0) continue;
      if (current.free !== top.free) {
        candidates.push({ ...current });
        continue;
      }
      const placement = this.#taken(current, needs);
      if (current.free > 0) candidates.push({ ...current });
      return placement;
    }
    return { kind: 'later', at: requirement.soonest, text: textOf(needs, requirement.count) };
  }

  /** Takes a slot of one of these hosts, which are few. */
  #takeOf(hosts: readonly HostInput[], needs: Needs): Placement {
    const candidates = new Heap<Candidate>(isLessLoaded);
    let soonest: number | undefined;
    for (const { name } of hosts) {
      const candidate = this.#hosts.get(name);
      if (candidate === undefined || candidate.free <= 0) continue;
      const { until } = this.#limit(candidate.host, needs);
      if (until > this.#now) soonest = Math.min(soonest ?? until, until);
      else candidates.push(candidate);
    }
    const chosen = candidates.pop();
    if (chosen !== undefined) return this.#taken(chosen, needs);
    return { kind: 'later', at: soonest, text: textOf(needs, hosts.length) };
  }

  /** Returns a slot that was taken and is not used. */
  release(name: string): void {
    const current = this.#hosts.get(name);
    if (current === undefined) return;
    current.free += 1;
    this.#requirements.clear();
  }

  #taken(candidate: Candidate, needs: Needs): Placement {
    candidate.free -= 1;
    return { kind: 'host', host: candidate.host.name, closed: this.#limit(candidate.host, needs).closed };
  }

  /** Until when the login that an attempt would use is rate-limited on a host. */
  #limit({ rateLimited }: HostInput, { agent, account, config }: Needs): ReturnType<typeof limitOf> {
    return limitOf(accountName(agent, account), { config, rateLimited, now: this.#now });
  }

  #requirementFor(needs: Needs): Requirement {
    const key = JSON.stringify([needs.agent, needs.account, modelsOf(needs.config), ...needs.labels.toSorted()]);
    const known = this.#requirements.get(key);
    if (known !== undefined) return known;
    const requirement: Requirement = { candidates: new Heap(isLessLoaded), count: 0, soonest: undefined };
    for (const candidate of this.#hosts.values()) {
      const { host } = candidate;
      if (!hasAll(host, needs)) continue;
      requirement.count += 1;
      const { until } = this.#limit(host, needs);
      if (until > this.#now) requirement.soonest = Math.min(requirement.soonest ?? until, until);
      else if (candidate.free > 0) requirement.candidates.push({ ...candidate });
    }
    this.#requirements.set(key, requirement);
    return requirement;
  }

  #suits(host: HostInput, needs: Needs): boolean {
    return hasAll(host, needs) && this.#limit(host, needs).until <= this.#now;
  }
}

/** A machine that runs checks, as the choice of one sees it. */
export type CheckHost = Pick<HostInput, 'name' | 'slots' | 'free' | 'labels'>;

/** The host for a check: of those with the labels the one with the largest share of free slots. */
export function placeCheck(hosts: readonly CheckHost[], labels: readonly string[]): Placement {
  const suitable = hosts.filter((host) => host.slots > 0 && hasLabels(host, labels));
  const candidates = new Heap<CheckHost>(hasMoreFree);
  for (const host of suitable) if (host.free > 0) candidates.push(host);
  const chosen = candidates.pop();
  if (chosen !== undefined) return { kind: 'host', host: chosen.name, closed: [] };
  const required = labels.length === 0 ? '' : ` with the ${labelText(labels)}`;
  const text =
    suitable.length > 0
      ? `every host${required} runs as many checks as it may`
      : labels.length === 0
        ? 'there is no host'
        : `no host has the ${labelText(labels)}`;
  return { kind: 'later', at: undefined, text };
}

/** A host for each of the starts, or for none; nothing to choose where there are no hosts. */
export function placeAll(
  hosts: HostPool | undefined,
  starts: readonly HostRequest[],
): { kind: 'placed'; hosts: (HostPlacement | undefined)[] } | Extract<Placement, { kind: 'later' }> {
  if (hosts === undefined) return { kind: 'placed', hosts: [] };
  const taken: HostPlacement[] = [];
  for (const start of starts) {
    const placement = hosts.take(start);
    if (placement.kind === 'later') {
      for (const { host } of taken) hosts.release(host);
      return placement;
    }
    taken.push(placement);
  }
  return { kind: 'placed', hosts: taken };
}

function rateLimitedEverywhere(hosts: readonly HostInput[], now: number): Record<string, number> {
  const usable = hosts.filter(({ isDraining }) => isDraining !== true);
  const logins = new Set(usable.flatMap(({ rateLimited }) => Object.keys(rateLimited)));
  const found = [...logins].flatMap((login): [string, number][] => {
    const [agent = ''] = login.split(/[/#]/);
    const having = usable.filter(({ agents }) => agents.includes(agent));
    const until = Math.min(...having.map(({ rateLimited }) => rateLimited[login] ?? 0));
    return Number.isFinite(until) && until > now ? [[login, until]] : [];
  });
  return Object.fromEntries(found);
}

function hasAll(host: HostInput, { agent, labels }: Needs): boolean {
  return isOpen(host) && host.agents.includes(agent) && hasLabels(host, labels);
}

function isOpen({ isDraining }: HostInput): boolean {
  return isDraining !== true;
}

function hasLabels(host: Pick<HostInput, 'labels'>, labels: readonly string[]): boolean {
  return labels.every((label) => host.labels.includes(label));
}

/** The larger share of free slots first; of equal ones the larger host, then by name, so that the same input gives the same choice. */
function isLessLoaded(one: Candidate, other: Candidate): boolean {
  return hasMoreFree({ ...one.host, free: one.free }, { ...other.host, free: other.free });
}

function hasMoreFree(one: CheckHost, other: CheckHost): boolean {
  const difference = one.free * other.slots - other.free * one.slots;
  if (difference !== 0) return difference > 0;
  if (one.slots !== other.slots) return one.slots > other.slots;
  return one.name < other.name;
}

function textOf({ agent, labels }: Needs, count: number): string {
  const required = labels.length === 0 ? agent : `${agent} and the ${labelText(labels)}`;
  return count === 0 ? `no host has ${required}` : `every host with ${required} is busy`;
}

function labelText(labels: readonly string[]): string {
  return `${labels.length === 1 ? 'label' : 'labels'} ${labels.join(', ')}`;
}
