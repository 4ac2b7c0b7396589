import { PREFERRED_BY_ROLE } from '../../agents/agent-kinds.ts';
import type { Config } from '../../schema/config.ts';
import type { RunStart } from '../../schema/event.ts';
import type { History } from './history.ts';
import { rolesOfBench, scoreOf } from './score.ts';
import { modelsOf } from './tier.ts';

export type Ranking = NonNullable<RunStart['ranking']>;

/** The input of a ranking: the agents whose order the user did not set, in the order that they would have without it. */
export type RankingInput = { config: Config; open: readonly string[]; history: History; project: string | undefined };

/**
 * The order of the open agents by role, where it is not simply theirs: the default, and with enough verified results
 * the best first. An agent with too few results keeps its position: it is neither preferred nor skipped.
 */
export function rankOpen(rankable: RankingInput): Ranking {
  const ranking: Ranking = {};
  if (rankable.open.length < 2) return ranking;
  for (const role of new Set([...PREFERRED_BY_ROLE.keys(), ...rolesWithResults(rankable.history)])) {
    const usual = usualOrder(role, rankable.open);
    const learned = rankable.config.routing.learn
      ? byResults(role, usual?.agents ?? rankable.open, rankable)
      : undefined;
    const rank = learned ?? usual;
    if (rank !== undefined) ranking[role] = rank;
  }
  return ranking;
}

function usualOrder(role: string, open: readonly string[]): Ranking[string] | undefined {
  const agent = PREFERRED_BY_ROLE.get(role);
  const isComplete = [...PREFERRED_BY_ROLE.values()].every((name) => open.includes(name));
  if (agent === undefined || !isComplete) return undefined;
  return { agents: [agent, ...open.filter((name) => name !== agent)], because: `the default for the role ${role}` };
}

function byResults(
  role: string,
  order: readonly string[],
  { config, history, project }: RankingInput,
): Ranking[string] | undefined {
  const scored = order.map((agent) => ({
    agent,
    ...scoreOf(history, { role, agent, models: modelsOf(config.agents[agent]) }, project),
  }));
  const known = scored.filter(({ results }) => results >= config.routing.learnAfter);
  const best = [...known].sort((a, b) => b.score - a.score);
  const agents = scored.map((one) => (known.includes(one) ? (best.shift() ?? one) : one));
  if (agents.every((one, index) => one === scored[index])) return undefined;
  const scores = agents.filter((one) => known.includes(one)).map((one) => `${one.agent} ${one.score} (${one.because})`);
  return {
    agents: agents.map(({ agent }) => agent),
    because: `best verified results for the role ${role}: ${scores.join('; ')}`,
  };
}

/** The roles for which there are results or benchmarks. */
export function rolesWithResults(history: History): string[] {
  const roles = new Set<string>();
  for (const { outcomes } of history.runs.values())
    for (const { role, good, bad } of outcomes) if (good + bad > 0) roles.add(role);
  for (const { kind, verdict } of history.benches)
    if (verdict !== 'error') for (const role of rolesOfBench(kind)) roles.add(role);
  return [...roles].sort();
}
