import { z } from 'zod';
import type { App } from '../../app.ts';
import type { RunState } from '../../core/run/state.ts';
import { landedWork, pushedBranch } from '../../engine/pull-requests/pull-request-branch.ts';
import { PullRequest } from '../../schema/pull-request.ts';
import { findRun, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';
import { answerOf, forgeOf } from './project-forge.ts';

/** Lists the open pull requests of a project at its forge, or those that a run opened. */
export const listPullRequests = operation({
  name: 'list-pull-requests',
  where: 'anywhere',
  summary: 'List the open pull requests of a project, or of one run',
  http: 'GET /api/pull-requests',
  allow: ['viewer', 'operator'],
  input: z.object({ ...RunRef, fromRun: z.boolean().default(false).describe('Only those of the run.') }),
  output: z.array(PullRequest),
  run: async (app, { fromRun, ...ref }, { signal }) => {
    if (fromRun) return pullRequestsOf(app, await findRun(app, ref), signal);
    const { forge } = await forgeOf(app, ref.dir ?? (await findRun(app, ref)).start.project.root, signal);
    return answerOf(app, forge, { ask: () => forge.list(signal), signal });
  },
});

async function pullRequestsOf(app: App, state: RunState, signal: AbortSignal): Promise<PullRequest[]> {
  const { forge } = await forgeOf(app, state.start.project.root, signal);
  const branches = [pushedBranch(state), ...landedWork(state).map(({ task }) => pushedBranch(state, task))];
  const found = [];
  for (const branch of new Set(branches)) {
    const pull = await answerOf(app, forge, { ask: () => forge.find(branch, signal), signal });
    if (pull !== undefined) found.push(pull);
  }
  return found;
}
