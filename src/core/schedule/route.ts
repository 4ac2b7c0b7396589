import type { Config } from '../../schema/config.ts';
import { hasUndeliveredMessage } from '../attempt/message.ts';
import type { Ranking } from '../models/ranking.ts';
import { lastAttempt, type RunState, type TaskState } from '../run/state.ts';
import { freeAccount } from './account.ts';

/** What is known about the agents at this moment, over all runs. */
export type AgentAvailability = {
  /** Accounts that rest, and until when: an agent's name, or `agent/account`; with `#family` only those models. */
  rateLimited: Readonly<Record<string, number>>;
  /** Attempts under way by agent. */
  busy: Readonly<Record<string, number>>;
  /** Most attempts at once by agent; absent means no limit of its own. */
  maxParallel: Readonly<Record<string, number>>;
};

/** What is to be done, as far as the choice of an agent depends on it. */
export type RoutingRequest = {
  config: Config;
  /** Agents asked for on the command line, by role or `*`. */
  agents: Readonly<Record<string, string>>;
  role: string;
  /** The agent that the task itself names. */
  agent?: string | undefined;
  /** What each agent has spent in the run. */
  spentBy?: Readonly<Record<string, number>>;
  /** How often each agent fell over in the run, without any other end between. */
  crashes?: Readonly<Record<string, number>>;
  /** The agent that did the work which is to be verified: another one sees more, where nobody asked for this one. */
  avoid?: string | undefined;
  /** Agents that cannot work here, and why. */
  unable?: Readonly<Record<string, string>> | undefined;
  /** By role: the agents that the user left open, the best first by their verified results. */
  ranking?: Ranking | undefined;
  /** Who has the session in which a person's message goes on: nobody else is asked while it can work. */
  session?: { agent: string; account: string | null } | undefined;
};

export type Route =
  | { kind: 'agent'; agent: string; account?: string; closed?: string[]; because: string }
  | { kind: 'later'; at: number | undefined; because: string };

/** An agent that fell over so often in a row stands behind the others until it has done something else. */
export const CRASHES_IN_A_ROW = 3;

/** Chooses the agent for a task of a run. */
export function route(state: RunState, task: TaskState, availability: AgentAvailability, now: number): Route {
  const { config, agents, ranking, unable } = state.start;
  const { spentBy, crashes } = state;
  const { role, agent } = task.spec;
  const avoid = task.spec.verifies === undefined ? undefined : state.tasks[task.spec.verifies]?.attempts.at(-1)?.agent;
  const session = hasUndeliveredMessage(task) ? lastAttempt(task) : undefined;
  return pickAgent(
    { config, agents, spentBy, crashes, unable, ranking, role, agent, avoid, session },
    availability,
    now,
  );
}

/** Chooses an agent: the one asked for, for the role or for all, else its role's, else the order of preference; a resting one is passed over if it may be. */
export function pickAgent(request: RoutingRequest, availability: AgentAvailability, now: number): Route {
  let soonest: number | undefined;
  const [preferredAgent] = plainCandidates(request);
  const candidates = candidatesFor(request);
  let passedOver =
    preferredAgent === undefined || candidates[0] === preferredAgent ? '' : passedReason(request, preferredAgent);
  for (const agent of candidates) {
    if (isSpent(request, agent)) {
      passedOver ||= `${agent} has spent what it may in this run`;
      continue;
    }
    const account = freeAccount(accountsOf(request, agent), availability.rateLimited, now);
    if (account.kind === 'resting') {
      soonest = Math.min(soonest ?? account.until, account.until);
      passedOver ||= `${agent} rests`;
      continue;
    }
    if ((availability.busy[agent] ?? 0) >= (availability.maxParallel[agent] ?? Number.POSITIVE_INFINITY)) {
      passedOver ||= `${agent} is busy`;
      return { kind: 'later', at: soonest, because: passedOver };
    }
    const because = agent === preferredAgent ? reasonFor(request, agent) : `${passedOver}; next in order`;
    return {
      kind: 'agent',
      agent,
      because,
      ...(account.name === undefined ? {} : { account: account.name }),
      ...(account.closed.length === 0 ? {} : { closed: account.closed }),
    };
  }
  return { kind: 'later', at: soonest, because: passedOver || 'no agent is configured' };
}

/** The agents that may do it, the best first; those that cannot work or keep falling over come last. */
export function candidatesFor(request: RoutingRequest): string[] {
  const { crashes = {}, unable = {} } = request;
  const rank = (agent: string) => {
    if (Object.hasOwn(unable, agent)) return 2;
    if ((crashes[agent] ?? 0) >= CRASHES_IN_A_ROW) return 1;
    return agent === request.avoid && isLeftOpen(request) ? 0.5 : 0;
  };
  return plainCandidates(request).sort((a, b) => rank(a) - rank(b));
}

/** Whether nothing names an agent for the role. */
function isLeftOpen({ config, agents, role, agent }: RoutingRequest): boolean {
  const named = agent ?? agents[role] ?? agents['*'] ?? config.routing.prefer[role]?.[0] ?? config.roles[role]?.agent;
  return named === undefined;
}

function passedReason({ unable = {}, avoid }: RoutingRequest, agent: string): string {
  const why = unable[agent];
  if (why === undefined && agent === avoid) return `${agent} did the work itself`;
  return why === undefined
    ? `${agent} fell over ${CRASHES_IN_A_ROW} times in a row`
    : `${agent} cannot be used (${why})`;
}

/** The logins of an agent; the one that is kept comes first. */
function accountsOf({ config, session }: RoutingRequest, agent: string): Parameters<typeof freeAccount>[0] {
  const first = session?.agent === agent ? session.account : null;
  return { agent, config: config.agents[agent], ...(first === null ? {} : { first }) };
}

function plainCandidates({ config, agents, role, agent, ranking, session }: RoutingRequest): string[] {
  const open = ranking?.[role]?.agents ?? [];
  const order = [...config.routing.order.filter((name) => !open.includes(name)), ...open];
  const preferred = config.routing.prefer[role] ?? [];
  const all = [session?.agent, agent ?? agents[role] ?? agents['*'], ...preferred, config.roles[role]?.agent, ...order];
  const distinct = [...new Set(all.filter((name) => name !== undefined))];
  return config.routing.fallback ? distinct : distinct.slice(0, 1);
}

function isSpent({ config, spentBy = {} }: RoutingRequest, agent: string): boolean {
  const cap = config.agents[agent]?.spendUsd;
  return cap !== undefined && (spentBy[agent] ?? 0) >= cap;
}

function reasonFor({ config, agents, role, agent, ranking, session }: RoutingRequest, chosen: string): string {
  if (session?.agent === chosen) return 'it goes on with a message';
  if (agent !== undefined) return 'asked for by the task';
  if (agents[role] !== undefined || agents['*'] !== undefined) return 'asked for on the command line';
  if (config.routing.prefer[role]?.length) return `preferred for the role ${role}`;
  if (config.roles[role]?.agent !== undefined) return `set for the role ${role}`;
  const ranked = ranking?.[role];
  return ranked?.agents[0] === chosen ? ranked.because : 'first in order of preference';
}
