import type { Config } from '../schema/config.ts';
import type { RunState, TaskState } from './state.ts';

/** What is known about the agents at this moment, over all runs. */
export type AgentBoard = {
  /** Accounts that rest, and until when: an agent's name, or `agent/account` where it has several. */
  resting: Readonly<Record<string, number>>;
  /** Attempts under way by agent. */
  busy: Readonly<Record<string, number>>;
  /** Most attempts at once by agent; absent means no limit of its own. */
  maxParallel: Readonly<Record<string, number>>;
};

/** What is to be done, as far as the choice of an agent depends on it. */
export type Wanted = {
  config: Config;
  /** Agents asked for on the command line, by role or `*`. */
  agents: Readonly<Record<string, string>>;
  role: string;
  /** The agent that the task itself names. */
  agent?: string | undefined;
  /** What each agent has spent in the run. */
  spentBy?: Readonly<Record<string, number>>;
};

export type Route =
  | { kind: 'agent'; agent: string; account?: string; because: string }
  | { kind: 'later'; at: number | undefined; because: string };

/** Chooses the agent for a task of a run. */
export function route(state: RunState, task: TaskState, board: AgentBoard, now: number): Route {
  const { config, agents } = state.start;
  const { spentBy } = state;
  return pickAgent({ config, agents, spentBy, role: task.spec.role, agent: task.spec.agent }, board, now);
}

/** Chooses an agent: the one asked for, else its role's, else the order of preference; a resting one is passed over if it may be. */
export function pickAgent(wanted: Wanted, board: AgentBoard, now: number): Route {
  let soonest: number | undefined;
  let passed = '';
  for (const [index, agent] of candidatesFor(wanted).entries()) {
    if (isSpent(wanted, agent)) {
      passed ||= `${agent} has spent what it may in this run`;
      continue;
    }
    const account = freeAccount(wanted.config, agent, board, now);
    if (account.kind === 'resting') {
      soonest = Math.min(soonest ?? account.until, account.until);
      passed ||= `${agent} rests`;
      continue;
    }
    if ((board.busy[agent] ?? 0) >= (board.maxParallel[agent] ?? Number.POSITIVE_INFINITY)) {
      passed ||= `${agent} is busy`;
      return { kind: 'later', at: soonest, because: passed };
    }
    const because = index === 0 ? reasonFor(wanted) : `${passed}; next in order`;
    return { kind: 'agent', agent, because, ...(account.name === undefined ? {} : { account: account.name }) };
  }
  return { kind: 'later', at: soonest, because: passed || 'no agent is configured' };
}

/** The agents that may do it, the best first. */
export function candidatesFor({ config, agents, role, agent }: Wanted): string[] {
  const first = agent ?? agents[role] ?? config.roles[role]?.agent ?? agents['*'];
  const order = [...(config.routing.prefer[role] ?? []), ...config.routing.order];
  const all = [...new Set(first === undefined ? order : [first, ...order])];
  return config.routing.fallback ? all : all.slice(0, 1);
}

/** The name under which an account rests and spends. */
export function accountName(agent: string, account: string | null | undefined): string {
  return account == null ? agent : `${agent}/${account}`;
}

function isSpent({ config, spentBy = {} }: Wanted, agent: string): boolean {
  const cap = config.agents[agent]?.spendUsd;
  return cap !== undefined && (spentBy[agent] ?? 0) >= cap;
}

type Free = { kind: 'free'; name: string | undefined } | { kind: 'resting'; until: number };

function freeAccount(config: Config, agent: string, board: AgentBoard, now: number): Free {
  const names = Object.keys(config.agents[agent]?.accounts ?? {});
  let soonest = board.resting[agent] ?? 0;
  if (soonest > now) return { kind: 'resting', until: soonest };
  if (names.length === 0) return { kind: 'free', name: undefined };
  soonest = Number.POSITIVE_INFINITY;
  for (const name of names) {
    const until = board.resting[accountName(agent, name)] ?? 0;
    if (until <= now) return { kind: 'free', name };
    soonest = Math.min(soonest, until);
  }
  return { kind: 'resting', until: soonest };
}

function reasonFor({ config, agents, role, agent }: Wanted): string {
  if (agent !== undefined) return 'asked for by the task';
  if (agents[role] !== undefined) return 'asked for on the command line';
  if (config.roles[role]?.agent !== undefined) return `set for the role ${role}`;
  if (agents['*'] !== undefined) return 'asked for on the command line';
  if (config.routing.prefer[role]?.length) return `preferred for the role ${role}`;
  return 'first in order of preference';
}
