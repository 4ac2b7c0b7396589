import { z } from 'zod';
import { AgentPick } from '../../schema/document.ts';
import { operation } from '../operation.ts';
import { pickFor, roleTraits } from './pick-agent.ts';
import { viewAgents } from './view-agents.ts';

/** The agent and model that a role would get now, and why, without starting anything. */
export const pickModel = operation({
  name: 'pick-model',
  where: 'anywhere',
  summary: 'Return the agent and model that a role would get now, and why',
  http: 'GET /api/models/pick',
  allow: ['viewer', 'operator'],
  input: z.object({
    dir: z.string(),
    role: z.string(),
    agents: z.array(z.string()).default([]),
    avoid: z.string().optional().describe('The agent whose work is verified: another one is preferred.'),
    verified: z
      .boolean()
      .default(false)
      .describe('The work is verified afterwards: another agent than the only one that may verify it is preferred.'),
    rehearse: z.boolean().default(false).describe('Pick for a rehearsal, which uses scripted agents.'),
    scenario: z.string().optional().describe('The scenario file of the rehearsal.'),
  }),
  output: AgentPick,
  run: async (app, { dir, role, avoid, verified, ...choices }) => {
    const view = await viewAgents(app, dir, choices);
    for (const named of view.requestedRoles) await roleTraits(view, named);
    const verification = verified ? { role: 'verify' } : undefined;
    return pickFor(view, { role, traits: await roleTraits(view, role), avoid, verification });
  },
});
