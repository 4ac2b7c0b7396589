import { z } from 'zod';
import type { TaskState } from '../../core/run/state.ts';
import { AppError } from '../../errors.ts';
import { ownScope } from '../../recipes/task-spec.ts';
import type { Config } from '../../schema/config.ts';
import { GoalInput, JobInput } from '../../schema/request.ts';
import { AttemptCaller } from '../attempt-caller.ts';
import { requireActive, requireControl, requireTask } from '../find-run.ts';
import { operation } from '../operation.ts';
import { createTask } from './create-task.ts';

/** Starts a run of its own for the agent of a task. */
export const createRun = operation({
  name: 'create-run',
  where: 'engine',
  summary:
    'Start a separate run for work that is not part of your task: it has its own tasks, checks and branch, which a person lands. Returns at once; wait with wait_for_tasks',
  http: { unreachable: 'An agent calls it through the socket of its attempt.' },
  allow: ['attempt'],
  tool: { only: 'writing-tasks' },
  input: z.object({
    ...AttemptCaller,
    title: createTask.input.shape.title,
    prompt: createTask.input.shape.prompt,
    plan: z.boolean().default(false).describe('Let an agent divide it into tasks first; otherwise it is one task.'),
  }),
  output: z.object({
    run: z.string().describe('The id of the sub-run.'),
    branch: z.string().describe('The branch on which its result will be.'),
  }),
  run: async (app, { run, task: key, attempt, call, title, prompt, plan }, { origin }) => {
    const { redact, ledger } = requireActive(app, run);
    const task = requireTask(ledger.state, key);
    const request = { parent: key, attempt, call, title: redact(title), prompt };
    const { config } = ledger.state.start;
    const work = plan
      ? { recipe: 'goal', input: goalOf(config, task, prompt) }
      : { recipe: 'job', input: jobOf(config, task, prompt) };
    const created = await requireControl(app).startSubRun(run, request, { ...work, origin });
    return { run: created, branch: `mh/${created}` };
  },
});

/** A sub-run changes no file that its parent may not change. */
function jobOf(config: Config, { spec }: TaskState, prompt: string): JobInput {
  const scope = ownScope(config, spec.gates);
  return JobInput.parse({
    task: prompt,
    ...(spec.tier === undefined ? {} : { tier: spec.tier }),
    ...(scope === undefined ? {} : { scope }),
  });
}

function goalOf(config: Config, { spec }: TaskState, prompt: string): GoalInput {
  if (ownScope(config, spec.gates) !== undefined)
    throw new AppError('REFUSED', 'A task with a scope of its own starts no planned run; leave out plan');
  return GoalInput.parse({ goal: prompt });
}
