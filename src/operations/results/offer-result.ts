import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { objectRef, openBareMirror, pushCommits } from '../../git/push/transfer.ts';
import { findRun, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';
import { mirrorOfRun } from './project-mirror.ts';

/** Puts the current commit of a run into the repository of the server, from which clients fetch it. */
export const offerResult = operation({
  name: 'offer-result',
  where: 'engine',
  summary: 'Offer the branch of a run to clients, in the repository of the server',
  http: 'POST /api/runs/{run}/result',
  allow: ['operator'],
  tool: { none: 'It prepares a fetch by the command line.' },
  input: z.object({ ...RunRef }),
  output: z.object({
    run: z.string(),
    branch: z.string(),
    commit: z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/),
    ref: z.string().describe('Where the repository of the server has it.'),
  }),
  run: async (app, ref) => {
    const state = await findRun(app, ref);
    const { run, base } = state.start;
    const { commit } = state.tip;
    if (commit === base.commit) throw new AppError('REFUSED', `Run ${run} has nothing to fetch`, { run });
    const mirror = await mirrorOfRun(app, state);
    if (mirror.objectFormat !== 'sha1')
      throw new AppError('REPOSITORY_UNSUPPORTED', 'Repositories with SHA-256 cannot be fetched from a server yet');
    await openBareMirror(app.home.exchange, mirror.objectFormat, app.world);
    const pushed = await pushCommits({ mirror, url: app.home.exchange }, [commit]);
    if (pushed.kind === 'refused') throw new AppError('GIT_FAILED', `${commit} was not offered: ${pushed.detail}`);
    return { run, branch: `mh/${run}`, commit, ref: objectRef(commit) };
  },
});
