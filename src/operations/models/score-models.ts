import { z } from 'zod';
import type { History } from '../../core/models/history.ts';
import { rolesWithResults } from '../../core/models/ranking.ts';
import { scoreOf } from '../../core/models/score.ts';
import { modelFor } from '../../core/models/tier.ts';
import { ModelScore } from '../../schema/model.ts';
import { operation } from '../operation.ts';
import { type AgentsView, type AgentView, viewAgents } from './view-agents.ts';

/** Every agent that is configured, in every role that has results, with each of its models; the best first. */
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
      view.agents
        .flatMap((agent) => modelsIn(view, agent, one).map((model) => scoreFor(view, { role: one, agent, model })))
        .sort((a, b) => b.score - a.score || b.results - a.results || a.agent.localeCompare(b.agent)),
    );
  },
});

type ScoredModel = { role: string; agent: AgentView; model: string | null };

function scoreFor({ config, history, project }: AgentsView, { role, agent, model }: ScoredModel): ModelScore {
  const score = scoreOf(history, { role, agent: agent.name, models: [model] }, project);
  return {
    role,
    agent: agent.name,
    model,
    ok: agent.ok,
    counts: config.routing.learn && score.results >= config.routing.learnAfter,
    ...score,
  };
}

/** The model that the role would get, and those that have worked in it. */
function modelsIn({ config, history }: AgentsView, { name }: AgentView, role: string): (string | null)[] {
  const now = modelFor(config.agents[name], config.roles[role]?.tier ?? 'standard');
  const seen = modelsSeen(history, name, role);
  return [...new Set(now === undefined && seen.length > 0 ? seen : [now ?? null, ...seen])];
}

function modelsSeen(history: History, agent: string, role: string): (string | null)[] {
  const worked = [...history.runs.values()].flatMap(({ outcomes }) => outcomes.filter((one) => one.role === role));
  return [...worked, ...history.benches].filter((one) => one.agent === agent).map(({ model }) => model);
}
