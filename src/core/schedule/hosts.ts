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
  /** Agents whose logins on this host are rate-limited, and until when. */
  rateLimited: Readonly<Record<string, number>>;
  /** It finishes what it runs, and gets nothing new. */
  isDraining?: boolean;
};

/** The hosts of an installation; tasks are named as `run task`. */
export type HostsInput = {
  hosts: readonly HostInput[];
  /** The labels that a task requires of its host. */
  labels: ReadonlyMap<string, readonly string[]>;
  /** The host that keeps the workspace or the session of a task. */
  affinity: ReadonlyMap<string, string>;
  /** The runs whose attempts are performed by hosts; without this all are. */
  runs?: ReadonlySet<string>;
};

/** What a start needs of a host. */
type HostRequest = { task: string; agent: string };

type Placement = { kind: 'host'; host: string } | { kind: 'later'; at: number | undefined; text: string };

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
  /** Agents that every host on which they are has rate-limited, and until when. */
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

  /** Takes a slot for a task, if a host has one. */
  take({ task, agent }: HostRequest): Placement {
    const labels = this.#input.labels.get(task) ?? [];
    const kept = this.#hosts.get(this.#input.affinity.get(task) ?? '');
    if (kept !== undefined && kept.free > 0 && this.#suits(kept.host, agent, labels)) return this.#taken(kept);
    const requirement = this.#requirementFor(agent, labels);
    const { candidates } = requirement;
    for (let top = candidates.pop(); top !== undefined; top = candidates.pop()) {
      const current = this.#hosts.get(top.host.name);
      if (current === undefined || current.free <= 0) continue;
      if (current.free !== top.free) {
        candidates.push({ ...current });
        continue;
      }
      const placement = this.#taken(current);
      if (current.free > 0) candidates.push({ ...current });
      return placement;
    }
    return { kind: 'later', at: requirement.soonest, text: textOf(agent, labels, requirement.count) };
  }

  /** Returns a slot that was taken and is not used. */
  release(name: string): void {
    const current = this.#hosts.get(name);
    if (current === undefined) return;
    current.free += 1;
    this.#requirements.clear();
  }

  #taken(candidate: Candidate): Placement {
    candidate.free -= 1;
    return { kind: 'host', host: candidate.host.name };
  }

  #requirementFor(agent: string, labels: readonly string[]): Requirement {
    const key = JSON.stringify([agent, ...labels.toSorted()]);
    const known = this.#requirements.get(key);
    if (known !== undefined) return known;
    const requirement: Requirement = { candidates: new Heap(isLessLoaded), count: 0, soonest: undefined };
    for (const candidate of this.#hosts.values()) {
      const { host } = candidate;
      if (!hasAll(host, agent, labels)) continue;
      requirement.count += 1;
      const until = host.rateLimited[agent] ?? 0;
      if (until > this.#now) requirement.soonest = Math.min(requirement.soonest ?? until, until);
      else if (candidate.free > 0) requirement.candidates.push({ ...candidate });
    }
    this.#requirements.set(key, requirement);
    return requirement;
  }

  #suits(host: HostInput, agent: string, labels: readonly string[]): boolean {
    return hasAll(host, agent, labels) && (host.rateLimited[agent] ?? 0) <= this.#now;
  }
}

/** A host for each of the starts, or for none; nothing to choose where there are no hosts. */
export function placeAll(
  hosts: HostPool | undefined,
  starts: readonly { run: string; task: string; agent: string }[],
): { kind: 'placed'; hosts: (string | undefined)[] } | Extract<Placement, { kind: 'later' }> {
  if (hosts === undefined) return { kind: 'placed', hosts: [] };
  const taken: string[] = [];
  for (const { run, task, agent } of starts) {
    const placement = hosts.take({ task: `${run} ${task}`, agent });
    if (placement.kind === 'later') {
      for (const host of taken) hosts.release(host);
      return placement;
    }
    taken.push(placement.host);
  }
  return { kind: 'placed', hosts: taken };
}

function rateLimitedEverywhere(hosts: readonly HostInput[], now: number): Record<string, number> {
  const until = new Map<string, number>();
  for (const { agents, rateLimited, isDraining } of hosts)
    for (const agent of isDraining === true ? [] : agents)
      until.set(agent, Math.min(until.get(agent) ?? Number.POSITIVE_INFINITY, rateLimited[agent] ?? 0));
  return Object.fromEntries([...until].filter(([, at]) => at > now));
}

function hasAll(host: HostInput, agent: string, labels: readonly string[]): boolean {
  return (
    host.isDraining !== true && host.agents.includes(agent) && labels.every((label) => host.labels.includes(label))
  );
}

/** The larger share of free slots first; of equal ones the larger host, then by name, so that the same input gives the same choice. */
function isLessLoaded(one: Candidate, other: Candidate): boolean {
  const difference = one.free * other.host.slots - other.free * one.host.slots;
  if (difference !== 0) return difference > 0;
  if (one.host.slots !== other.host.slots) return one.host.slots > other.host.slots;
  return one.host.name < other.host.name;
}

function textOf(agent: string, labels: readonly string[], count: number): string {
  const wanted =
    labels.length === 0 ? agent : `${agent} and the ${labels.length === 1 ? 'label' : 'labels'} ${labels.join(', ')}`;
  return count === 0 ? `no host has ${wanted}` : `every host with ${wanted} is busy`;
}
