import { z } from 'zod';
import { lastAttempt } from '../../core/run/state.ts';
import { folderName } from '../../core/view/guest-run.ts';
import { runStatus } from '../../core/view/run-status.ts';
import { wholeTask } from '../../core/view/shown-state.ts';
import { lastCheckpoint } from '../../engine/attempt/memory.ts';
import { outputReader } from '../../engine/loop/ledger.ts';
import { RunStatus } from '../../schema/document.ts';
import { Checkpoint } from '../../schema/report/checkpoint.ts';
import { isGuest } from '../authorize.ts';
import { completeKey, findRun, requireTask, TaskRef } from '../find-run.ts';
import { operation } from '../operation.ts';

/** Shows one task with its prompt, all its attempts and its evidence. */
export const showTask = operation({
  name: 'show-task',
  where: 'anywhere',
  summary: 'Show a complete task, with its prompt and all its attempts',
  http: 'GET /api/runs/{run}/tasks/{task}',
  allow: ['guest', 'viewer', 'operator'],
  input: z.object(TaskRef),
  output: z.object({
    run: z.string(),
    title: z.string(),
    project: z.string(),
    recipe: z.string(),
    status: RunStatus.describe('The status of the run.'),
    task: z.unknown().describe('The state of the task: spec, attempts, evidence, phase.'),
    dependents: z.array(z.string()).describe('The tasks that need it.'),
    stale: z.boolean().describe('It was done and must be done again.'),
    checkpoint: Checkpoint.extend({ attempt: z.number().int() })
      .optional()
      .describe('How far its last long attempt is.'),
    resumable: z.boolean().describe('Its agent can continue the session of the last attempt.'),
  }),
  run: async (app, { task: named, ...ref }, { origin }) => {
    const state = await findRun(app, ref);
    const { run, title, project, recipe } = state.start;
    const key = completeKey(state, named);
    const task = requireTask(state, key);
    const checkpoint = lastCheckpoint(app.store, state, task);
    return {
      run,
      title,
      project: isGuest(origin) ? folderName(project.folder ?? project.root) : (project.folder ?? project.root),
      recipe: recipe.name,
      status: runStatus(state),
      task: wholeTask(task, outputReader(app.store, run)),
      dependents: state.dependents[key] ?? [],
      stale: state.invalidated.includes(key),
      ...(checkpoint === undefined ? {} : { checkpoint }),
      resumable: lastAttempt(task)?.session != null,
    };
  },
});
