import { canBeReadOnly } from '../../agents/agent-kinds.ts';
import type { Config } from '../../schema/config.ts';
import type { Access } from '../../schema/task.ts';
import { hasUndeliveredMessage } from '../attempt/message.ts';
import type { Ranking } from '../models/ranking.ts';
import { lastAttempt, type RunState, type TaskState } from '../run/state.ts';
import { recordedTime } from '../view/amounts.ts';
import { freeAccount } from './account.ts';
import { leftOfCap, spentInRun } from './budget.ts';

/** The current availability of agents, over all runs. */
export type AgentAvailability = {
  /** Rate-limited accounts, and until when: an agent's name, or `agent/account`; with `#family` only those models. */
  rateLimited: Readonly<Record<string, number>>;
  /** Running attempts by agent. */
  busy: Readonly<Record<string, number>>;
  /** The most parallel attempts by agent; absent means no limit of its own. */
  maxParallel: Readonly<Record<string, number>>;
  /** US dollars that each agent has spent today, over all runs; known where an agent has a daily cap. */
  spentToday?: Readonly<Record<string, number>>;
  /** The agents that some host has, with the labels that the task requires; undefined where this machine performs attempts. */
  offered?: ReadonlySet<string>;
};

/** The input of the choice of an agent. */
export type RoutingRequest = {
  config: Config;
  /** Agents requested on the command line, by role or `*`; several are separated by commas. */
  agents: Readonly<Record<string, string>>;
  role: string;
  /** Whether the task only reads: agents that cannot be kept from writing do not get it. */
  access?: Access | undefined;
  /** The agent that the task itself names. */
  agent?: string | undefined;
  /** What each agent has spent in the run. */
  spentBy?: Readonly<Record<string, number>>;
  /** Consecutive crashes of each agent in the run. */
  crashes?: Readonly<Record<string, number>>;
  /** The agent that did the work to be verified: another one is preferred, unless this one was requested. */
  avoid?: string | undefined;
  /** How the work will be verified: where that names one agent, another one is preferred for the work. */
  verification?: { role: string; agent?: string | undefined } | undefined;
  /** Agents that are not usable here, and why. */
  unable?: Readonly<Record<string, string>> | undefined;
  /** By role: the agents whose order the user did not set, the best first by verified results. */
  ranking?: Ranking | undefined;
  /** The agent and login of the session that continues with a person's message: preferred while it is available. */
  session?: { agent: string; account: string | null } | undefined;
};

export type Route =
  | { kind: 'agent'; agent: string; account?: string; closed?: string[]; because: string }
  | { kind: 'later'; at: number | undefined; because: string; waitsFor: { text: string; until?: number } }
  /** Every agent that may do it is over its spending cap, or none may do it. */
  | { kind: 'never'; because: string };

/** An agent with this many consecutive crashes comes after the others until an attempt of it ends differently. */
export const CRASHES_IN_A_ROW = 3;

/** Chooses the agent for a task of a run. */
export function route(state: RunState, task: TaskState, availability: AgentAvailability, now: number): Route {
  const { config, agents, ranking } = state.start;
  const unable = unableNow(state, availability);
  const { crashes } = state;
  const spentBy = Object.fromEntries(Object.keys(config.agents).map((name) => [name, spentInRun(state, name)]));
  const { role, agent, access } = task.spec;
  const worked = task.spec.verifies ?? task.spec.avoidsAgentOf;
  const avoid = worked === undefined ? undefined : state.tasks[worked]?.attempts.at(-1)?.agent;
  const verification = task.spec.verify;
  const session = hasUndeliveredMessage(task) ? lastAttempt(task) : undefined;
  return pickAgent(
    { config, agents, spentBy, crashes, unable, ranking, role, access, agent, avoid, verification, session },
    availability,
    now,
  );
}

/** The agents that cannot be used, and why: where hosts perform the attempts, those that no host has now. */
function unableNow({ start }: RunState, { offered }: AgentAvailability): RoutingRequest['unable'] {
  if (offered === undefined) return start.unable;
  const { agents, routing } = start.config;
  const missing = [...Object.keys(agents), ...routing.order].filter((name) => !offered.has(name));
  return Object.fromEntries(missing.map((name) => [name, 'no host has it']));
}

/** Chooses an agent: the requested one, for the role or for all, else its role's, else by order of preference; a rate-limited one is skipped if fallback is enabled. */
export function pickAgent(request: RoutingRequest, availability: AgentAvailability, now: number): Route {
  let soonest: { agent: string; until: number } | undefined;
  const overCaps: string[] = [];
  const [preferredAgent] = plainCandidates(request);
  const candidates = candidatesFor(request);
  let skippedBecause =
    preferredAgent === undefined || candidates[0] === preferredAgent ? '' : passedReason(request, preferredAgent);
  for (const agent of candidates) {
    const overCap = overCapReason(request, availability, agent);
    if (overCap !== undefined) {
      skippedBecause ||= overCap;
      overCaps.push(overCap);
      continue;
    }
    const account = freeAccount(accountsOf(request, agent), availability.rateLimited, now);
    if (account.kind === 'rate-limited') {
      if (account.until < (soonest?.until ?? Number.POSITIVE_INFINITY)) soonest = { agent, until: account.until };
      skippedBecause ||= `${agent} is rate-limited until ${recordedTime(account.until)}`;
      continue;
    }
    const most = availability.maxParallel[agent] ?? Number.POSITIVE_INFINITY;
    if ((availability.busy[agent] ?? 0) >= most) {
      skippedBecause ||= `${agent} is busy`;
      const waitsFor = { text: `${agent} is busy with ${most} of ${most} attempts` };
      return { kind: 'later', at: soonest?.until, because: skippedBecause, waitsFor };
    }
    const because = agent === preferredAgent ? reasonFor(request, agent) : skippedBecause;
    return {
      kind: 'agent',
      agent,
      because,
      ...(account.name === undefined ? {} : { account: account.name }),
      ...(account.closed.length === 0 ? {} : { closed: account.closed }),
    };
  }
  const unrestricted = candidates.length === 0 ? namedCandidates(request) : [];
  if (unrestricted.length > 0) return { kind: 'never', because: unrestrictedReason(unrestricted) };
  if (overCaps.length > 0 && soonest === undefined) return { kind: 'never', because: overCaps.join('; ') };
  const because = skippedBecause || 'no agent is configured';
  const waitsFor =
    soonest === undefined ? { text: because } : { text: `${soonest.agent} is rate-limited`, until: soonest.until };
  return { kind: 'later', at: soonest?.until, because, waitsFor };
}

/** The candidate agents, the best first; unusable ones and those that keep crashing come last. */
export function candidatesFor(request: RoutingRequest): string[] {
  const { crashes = {}, unable = {} } = request;
  const avoid = avoidedBy(request);
  const rank = (agent: string) => {
    if (Object.hasOwn(unable, agent)) return 2;
    if ((crashes[agent] ?? 0) >= CRASHES_IN_A_ROW) return 1;
    return agent === avoid && isLeftOpen(request) ? 0.5 : 0;
  };
  const candidates = plainCandidates(request);
  // Without fallback only the first one may do it; the one that did the work, or will verify it, gives way to the next.
  const [first] = candidates;
  const isAvoided = first !== undefined && first === avoid && isLeftOpen(request);
  const [only = first] = isAvoided ? candidates.filter((agent) => agent !== first && rank(agent) === 0) : [first];
  if (!request.config.routing.fallback) return only === undefined ? [] : [only];
  return candidates.sort((a, b) => rank(a) - rank(b));
}

/** The agent that should not do it: the one whose work is verified, or the only one that may verify this work. */
function avoidedBy(request: RoutingRequest): string | undefined {
  const { avoid, verification } = request;
  if (avoid !== undefined || verification === undefined) return avoid;
  return soleAgent({ ...request, role: verification.role, agent: verification.agent });
}

/** Whether nothing names the one agent for this role; agents named for all roles, or several for this one, leave the choice among them open. */
function isLeftOpen(request: RoutingRequest): boolean {
  return soleAgent(request) === undefined;
}

/** The one agent that is named for exactly this role, if one is. */
function soleAgent({ config, agents, role, agent }: RoutingRequest): string | undefined {
  const preferred = config.routing.prefer[role] ?? [];
  const named = namesIn(agent ?? agents[role] ?? config.roles[role]?.agent);
  return [named, preferred].find(({ length }) => length === 1)?.[0];
}

function passedReason(request: RoutingRequest, agent: string): string {
  const { unable = {}, avoid } = request;
  const why = unable[agent];
  if (why === undefined && avoid === undefined && agent === avoidedBy(request)) return `${agent} verifies the work`;
  if (why === undefined && agent === avoid) return `${agent} did the work itself`;
  return why === undefined ? `${agent} crashed ${CRASHES_IN_A_ROW} times in a row` : `${agent} cannot be used (${why})`;
}

/** The logins of an agent; the one of the session comes first. */
function accountsOf({ config, session }: RoutingRequest, agent: string): Parameters<typeof freeAccount>[0] {
  const first = session?.agent === agent ? session.account : null;
  return { agent, config: config.agents[agent], ...(first === null ? {} : { first }) };
}

function plainCandidates(request: RoutingRequest): string[] {
  const named = namedCandidates(request);
  return request.access === 'read' ? named.filter((agent) => mayRead(request.config, agent)) : named;
}

function mayRead({ agents }: Config, agent: string): boolean {
  const config = agents[agent];
  return config === undefined || canBeReadOnly(config);
}

function unrestrictedReason(agents: readonly string[]): string {
  const settings = agents.map((agent) => `agents.${agent}.readOnlyRoles`).join(' or ');
  return `${agents.join(', ')} cannot be kept from writing in a read-only role; set ${settings} to true to use it there`;
}

/** Agents that the command line names are the only ones; others are used when the settings' own are not available. */
function namedCandidates({ config, agents, role, agent, ranking, session }: RoutingRequest): string[] {
  const requested = namesIn(agents[role] ?? agents['*']);
  const open = ranking?.[role]?.agents ?? [];
  const order = [...config.routing.order.filter((name) => !open.includes(name)), ...open];
  const preferred = config.routing.prefer[role] ?? [];
  const configured = [...preferred, ...namesIn(config.roles[role]?.agent), ...order];
  const isExclusive = agent === undefined && requested.length > 0;
  const all = [session?.agent, ...namesIn(agent), ...requested, ...(isExclusive ? [] : configured)];
  return [...new Set(all.filter((name) => name !== undefined))];
}

/** The names in a list of agents. */
function namesIn(list: string | undefined): string[] {
  return list?.split(',') ?? [];
}

/** Why an agent may not spend more, if it may not. */
function overCapReason(
  { config, spentBy = {} }: RoutingRequest,
  { spentToday = {} }: AgentAvailability,
  agent: string,
): string | undefined {
  const left = leftOfCap(config.agents[agent], { runUsd: spentBy[agent] ?? 0, dayUsd: spentToday[agent] ?? 0 });
  return left === undefined || left.leftUsd > 0 ? undefined : `${agent} is over its spending cap (${left.spent})`;
}

function reasonFor({ config, agents, role, agent, ranking, session }: RoutingRequest, chosen: string): string {
  if (session?.agent === chosen) return 'it continues its session with a message';
  if (agent !== undefined) return 'requested by the task';
  if (agents[role] !== undefined || agents['*'] !== undefined) return 'requested on the command line';
  if (config.routing.prefer[role]?.length) return `preferred for the role ${role}`;
  if (config.roles[role]?.agent !== undefined) return `set for the role ${role}`;
  const ranked = ranking?.[role];
  return ranked?.agents[0] === chosen ? ranked.because : 'first in order of preference';
}
