import { z } from 'zod';
import type { RetryRequest } from '../../core/run/changed-settings.ts';
import type { RunState } from '../../core/run/state.ts';
import { momentText } from '../../core/view/amounts.ts';
import { AppError } from '../../errors.ts';
import { ScopeGlob } from '../../schema/config/scope.ts';
import { RunDocument } from '../../schema/document.ts';
import { WorkspaceChanges } from '../../schema/event.ts';
import { StartOptions, StopRule } from '../../schema/request.ts';
import { completeKey, findRun, RunRef, requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';
import { documentOf } from '../run-document.ts';

/** Retries failed, blocked, skipped or cancelled tasks, with those that were skipped because of them. */
export const retryRun = operation({
  name: 'retry-run',
  where: 'engine',
  summary: 'Retry failed or blocked tasks',
  http: 'POST /api/runs/{run}/retry',
  allow: ['operator'],
  decides: true,
  input: z.object({
    ...RunRef,
    task: z.string().optional(),
    requeue: z
      .boolean()
      .default(false)
      .describe('Restart them from a clean workspace and reset their attempt count; also a running one.'),
    changes: WorkspaceChanges.optional().describe(
      'Tasks blocked because another user or process changed their workspace continue with these changes (keep) or without them (discard).',
    ),
    stop: StopRule.optional().describe('Changes when an attempt is stopped.'),
    agents: StartOptions.shape.agents.describe(
      'Changes the agents: a name, role=name, or command:<program>, with its current settings.',
    ),
    scopeAllow: z.array(ScopeGlob).default([]).describe('Globs of additional files that may be changed.'),
    budget: StartOptions.shape.budget.describe('Changes the maximum total cost of the run in US dollars.'),
    until: StartOptions.shape.until.describe('Changes when the run stops, in milliseconds since 1970.'),
  }),
  output: RunDocument,
  run: async (app, { requeue, changes, agents, stop, scopeAllow, budget, until, ...input }, { origin }) => {
    const found = await findRun(app, input);
    const { run, project } = found.start;
    requireTimeLeft(found, until, app.world.now());
    const task = input.task === undefined ? {} : { task: completeKey(found, input.task) };
    const request: RetryRequest = {
      ...task,
      reason: 'requested by a person',
      requeue,
      changes,
      change: { stop, scopeAllow, budget, deadline: until },
    };
    const chosen = agents.length === 0 ? {} : { agents: { agents, dir: input.dir ?? project.root } };
    return documentOf(app, await requireControl(app).retry(run, { request, ...chosen }, origin));
  },
});

/** A run whose deadline has passed would give up its tasks again at once. */
function requireTimeLeft({ start }: RunState, until: number | undefined, now: number): void {
  const deadline = until ?? start.deadline;
  if (deadline === undefined || deadline > now) return;
  const which = until === undefined ? `The deadline of run ${start.run}` : 'The new deadline';
  throw new AppError('INPUT_INVALID', `${which}, ${momentText(deadline)}, has passed: use --until +2h or later`, {
    run: start.run,
  });
}
