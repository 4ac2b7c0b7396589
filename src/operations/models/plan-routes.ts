import { z } from 'zod';
import { rolesWithResults } from '../../core/models/ranking.ts';
import { RoutePlan } from '../../schema/model.ts';
import { operation } from '../operation.ts';
import { pickFor, roleTraits } from './pick-agent.ts';
import { viewAgents } from './view-agents.ts';

/** The roles that recipes use. */
const ROLES = [
  'plan',
  'implement',
  'verify',
  'fix',
  'review',
  'resolve',
  'repair',
  'analyze',
  'bulk',
  'discover',
  'assess',
  'milestones',
  'debate',
  'synthesize',
  'watch',
  'confirm',
  'discuss',
];

/** The picked agent for every role that recipes use, that the settings contain, or that has results. */
export const planRoutes = operation({
  name: 'plan-routes',
  where: 'anywhere',
  summary: 'List the agent that each role would get now, and why',
  http: 'GET /api/models/routes',
  allow: ['viewer', 'operator'],
  input: z.object({ dir: z.string() }),
  output: z.array(RoutePlan),
  run: async (app, { dir }) => {
    const view = await viewAgents(app, dir);
    const { roles, routing } = view.config;
    const named = [...Object.keys(roles), ...Object.keys(routing.prefer), ...rolesWithResults(view.history)];
    const planned = [...new Set([...ROLES, ...named])].map(async (role) => {
      // A role with settings or results may have been removed.
      const traits = await roleTraits(view, role).catch(() => undefined);
      const { agent, account, model, because, candidates } = pickFor(view, { role, traits });
      return { role, agent, account, model, because, order: candidates.map((candidate) => candidate.agent) };
    });
    return Promise.all(planned);
  },
});
