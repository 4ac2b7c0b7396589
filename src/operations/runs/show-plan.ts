import { z } from 'zod';
import { plannedTasks } from '../../core/run/edit-plan.ts';
import { TaskSpec } from '../../schema/task.ts';
import { findRun, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';

/** A task of a plan, for reading and editing. */
const PlanTask = z.object({
  task: z.string().describe('Its key in the run.'),
  title: TaskSpec.shape.title,
  description: z.string().describe('The instructions for the agent.'),
  needs: z.array(z.string()),
  priority: TaskSpec.shape.priority,
  agent: z.string().nullable().describe('The agent that must run it, if fixed.'),
});

/** Shows the tasks of a run that have not started, in the order in which they would start. */
export const showPlan = operation({
  name: 'show-plan',
  where: 'anywhere',
  summary: 'Show the tasks of a run that have not started, and whether the plan waits for approval',
  http: 'GET /api/runs/{run}/plan',
  allow: ['guest', 'viewer', 'operator'],
  input: z.object(RunRef),
  output: z.object({ run: z.string(), waits: z.boolean(), tasks: z.array(PlanTask) }),
  run: async (app, ref) => {
    const state = await findRun(app, ref);
    const waits = state.status.kind === 'held' && state.status.hold.what === 'plan';
    const tasks = plannedTasks(state).map(({ spec: { key, title, prompt, needs, priority, agent } }) => ({
      task: key,
      title,
      description: prompt,
      needs,
      priority,
      agent: agent ?? null,
    }));
    return { run: state.start.run, waits, tasks };
  },
});
