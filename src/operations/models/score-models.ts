import { z } from 'zod';
import type { History } from '../../core/models/history.ts';
import { rolesWithResults } from '../../core/models/ranking.ts';
import { scoreOf } from '../../core/models/score.ts';
import { modelFor } from '../../core/models/tier.ts';
import { ModelScore } from '../../schema/model.ts';
import { operation } from '../operation.ts';
import { type AgentsView, type AgentView, viewAgents } from './view-agents.ts';

/** Every agent that is configured or has results, in every role that has results, with each of its models; the best first. */
export const scoreModels = operation({
  name: 'score-models',
  where: 'anywhere',
  summary: 'Score agents by role and model, from verified results',
  http: 'GET /api/models/scores',
  allow: ['viewer', 'operator'],
  input: z.object({ dir: z.string(), role: z.string().optional() }),
  output: z.array(ModelScore),
  run: async (app, { dir, role }) => {
    const view = await viewAgents(app, dir);
    const roles = role === undefined ? rolesWithResults(view.history) : [role];
    return roles.flatMap((one) =>
      [...view.agents, ...unlisted(view)]
        .flatMap((agent) => modelsIn(view, agent, one).map((model) => scoreFor(view, { role: one, agent, model })))
        .sort((a, b) => b.score - a.score || b.results - a.results || a.agent.localeCompare(b.agent)),
    );
  },
});

/** Agents with results that are not in the settings, such as a program that a person named with --agent. */
function unlisted({ agents, history }: AgentsView): ScoredAgent[] {
  const outcomes = [...history.runs.values()].flatMap((run) => run.outcomes);
  const names = new Set([...outcomes, ...history.benches].map(({ agent }) => agent));
  for (const { name } of agents) names.delete(name);
  return [...names].map((name) => ({ name, ok: false, isUnlisted: true }));
}

type ScoredAgent = Pick<AgentView, 'name' | 'ok'> & { isUnlisted?: true };
type ScoredModel = { role: string; agent: ScoredAgent; model: string | null };

function scoreFor({ config, history, project }: AgentsView, { role, agent, model }: ScoredModel): ModelScore {
  const score = scoreOf(history, { role, agent: agent.name, models: [model] }, project);
  const because = agent.isUnlisted === true ? `${score.because}; not in the settings` : score.because;
  return {
    role,
    agent: agent.name,
    model,
    ok: agent.ok,
    counts: config.routing.learn && score.results >= config.routing.learnAfter,
    ...score,
    because,
  };
}

/** The model that the role would get, and those that have worked in it. */
function modelsIn({ config, history }: AgentsView, { name, isUnlisted }: ScoredAgent, role: string): (string | null)[] {
  const seen = modelsSeen(history, name, role);
  if (isUnlisted === true) return [...new Set(seen)];
  const now = modelFor(config.agents[name], config.roles[role]?.tier ?? 'standard');
  return [...new Set(now === undefined && seen.length > 0 ? seen : [now ?? null, ...seen])];
}

function modelsSeen(history: History, agent: string, role: string): (string | null)[] {
  const worked = [...history.runs.values()].flatMap(({ outcomes }) => outcomes.filter((one) => one.role === role));
  return [...worked, ...history.benches].filter((one) => one.agent === agent).map(({ model }) => model);
}
