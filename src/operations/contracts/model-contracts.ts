import { z } from 'zod';
import { AgentPick, AgentStatus } from '../../schema/document.ts';
import { BenchItem, BenchKind, BenchResult, ModelScore, RoutePlan } from '../../schema/model.ts';
import { operation } from '../contract.ts';

/** What is to be measured: by default every kind of task with every agent. */
const BenchRequest = z.object({
  dir: z.string(),
  agents: z.array(z.string()).default([]),
  kinds: z.array(BenchKind).default([]),
  budget: z.number().positive().optional().describe('Most US dollars over all of it.'),
});

/** What can be asked about agents and models. */
export const MODEL_OPERATIONS = {
  'list-models': operation(
    'anywhere',
    'List agents with their models, logins, rests and results',
    z.object({ dir: z.string() }),
    z.array(AgentStatus),
  ),
  'pick-model': operation(
    'anywhere',
    'Say which agent and model a role would get now, and why',
    z.object({
      dir: z.string(),
      role: z.string(),
      agents: z.array(z.string()).default([]),
      rehearse: z.boolean().default(false).describe('Who would be picked in a rehearsal, where agents are played.'),
      scenario: z.string().optional().describe('The file that a rehearsal plays.'),
    }),
    AgentPick,
  ),
  'score-models': operation(
    'anywhere',
    'Tell how good the work of agents was, by role and model, from verified results',
    z.object({ dir: z.string(), role: z.string().optional() }),
    z.array(ModelScore),
  ),
  'plan-routes': operation(
    'anywhere',
    'Say who each role would get now, and why',
    z.object({ dir: z.string() }),
    z.array(RoutePlan),
  ),
  'plan-bench': operation(
    'anywhere',
    'Say what a benchmark would ask of which agent, and what it would cost',
    BenchRequest,
    z.array(BenchItem),
  ),
  'start-bench': operation('engine', 'Start the runs of a benchmark', BenchRequest, z.array(BenchItem)),
  'list-benches': operation(
    'anywhere',
    'List what benchmarks came to, the newest last',
    z.object({ runs: z.array(z.string()).optional() }),
    z.array(BenchResult),
  ),
} as const;
