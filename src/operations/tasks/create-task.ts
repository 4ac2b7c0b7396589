import { z } from 'zod';
import { findRequested, requestTask } from '../../core/run/request-task.ts';
import { AppError } from '../../errors.ts';
import { TaskKey } from '../../schema/ids.ts';
import { crashpoint } from '../../world.ts';
import { AttemptCaller } from '../attempt-caller.ts';
import { requireActive, requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';

/** Adds a sub-task to the run of the attempt. */
export const createTask = operation({
  name: 'create-task',
  where: 'engine',
  summary:
    'Delegate a part of your task to another agent, which works in a workspace of its own; its work is checked and lands like any other. Returns at once; wait with wait_for_tasks',
  http: { unreachable: 'An agent calls it through the socket of its attempt.' },
  allow: ['attempt'],
  tool: { only: 'writing-tasks' },
  input: z.object({
    ...AttemptCaller,
    title: z.string().trim().min(1).max(200),
    prompt: z
      .string()
      .trim()
      .min(1)
      .max(50_000)
      .describe('Complete instructions: the other agent does not know yours.'),
    needs: z.array(TaskKey).max(20).default([]).describe('Sub-tasks of yours that must be done first.'),
  }),
  output: z.object({ task: z.string().describe('The key of the sub-task.') }),
  run: async (app, { run, task, call, title, prompt, needs }, { origin }) => {
    const { redact } = requireActive(app, run);
    const request = { parent: task, call, title: redact(title), prompt, needs };
    crashpoint('subtask.requesting');
    const state = await requireControl(app).submit(run, (before) => requestTask(before, request), origin);
    crashpoint('subtask.requested');
    const created = findRequested(state, request);
    if (created === undefined) throw new AppError('REFUSED', `Run ${run} is being cancelled`, { run });
    return { task: created.spec.key };
  },
});
