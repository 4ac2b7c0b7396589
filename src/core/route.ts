import type { RunState, TaskState } from './state.ts';

/** What is known about the agents at this moment, over all runs. */
export type AgentBoard = {
  /** Agents that rest, and until when. */
  resting: Readonly<Record<string, number>>;
  /** Attempts under way by agent. */
  busy: Readonly<Record<string, number>>;
  /** Most attempts at once by agent; absent means no limit of its own. */
  maxParallel: Readonly<Record<string, number>>;
};

export type Route =
  | { kind: 'agent'; agent: string; because: string }
  | { kind: 'later'; at: number | undefined; because: string };

/** Chooses the agent for a task: the one asked for, else its role's, else the order of preference; a resting one is passed over if it may be. */
export function route(state: RunState, task: TaskState, board: AgentBoard, now: number): Route {
  const candidates = candidatesFor(state, task);
  let soonest: number | undefined;
  let passed = '';
  for (const [index, agent] of candidates.entries()) {
    const until = board.resting[agent] ?? 0;
    if (until > now) {
      soonest = Math.min(soonest ?? until, until);
      passed ||= `${agent} rests`;
      continue;
    }
    if ((board.busy[agent] ?? 0) >= (board.maxParallel[agent] ?? Number.POSITIVE_INFINITY)) {
      passed ||= `${agent} is busy`;
      return { kind: 'later', at: soonest, because: passed };
    }
    const because = index === 0 ? reasonFor(state, task) : `${passed}; next in order`;
    return { kind: 'agent', agent, because };
  }
  return { kind: 'later', at: soonest, because: passed || 'no agent is configured' };
}

function candidatesFor(state: RunState, task: TaskState): string[] {
  const { agents, config } = state.start;
  const first = task.spec.agent ?? agents[task.spec.role] ?? config.roles[task.spec.role]?.agent ?? agents['*'];
  const order = [...(config.routing.prefer[task.spec.role] ?? []), ...config.routing.order];
  const all = [...new Set(first === undefined ? order : [first, ...order])];
  return config.routing.fallback ? all : all.slice(0, 1);
}

function reasonFor(state: RunState, task: TaskState): string {
  const { agents, config } = state.start;
  if (task.spec.agent !== undefined) return 'asked for by the task';
  if (agents[task.spec.role] !== undefined) return 'asked for on the command line';
  if (config.roles[task.spec.role]?.agent !== undefined) return `set for the role ${task.spec.role}`;
  if (agents['*'] !== undefined) return 'asked for on the command line';
  if (config.routing.prefer[task.spec.role]?.length) return `preferred for the role ${task.spec.role}`;
  return 'first in order of preference';
}
