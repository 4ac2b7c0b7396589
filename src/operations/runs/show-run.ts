import { z } from 'zod';
import { filingOf } from '../../core/project/project-state.ts';
import { documentWithOutputs } from '../../core/view/document.ts';
import { folderName } from '../../core/view/guest-run.ts';
import { outputReader } from '../../engine/loop/ledger.ts';
import { nodesOf, progressOf, resultOf } from '../../recipes/registry.ts';
import { RunDocument } from '../../schema/document.ts';
import { isGuest } from '../authorize.ts';
import { findRun, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';

/** Shows a run with its tasks, evidence, what waits for a person, and how it is filed. */
export const showRun = operation({
  name: 'show-run',
  where: 'anywhere',
  summary: 'Show a run with its tasks and evidence',
  http: 'GET /api/runs/{run}',
  allow: ['guest', 'viewer', 'operator'],
  input: z.object(RunRef),
  output: RunDocument,
  run: async (app, ref, { origin }) => {
    const state = await findRun(app, ref);
    const { run, project } = state.start;
    const nodes = nodesOf(state);
    const progress = progressOf(state);
    const result = resultOf(state);
    return {
      ...documentWithOutputs(state, outputReader(app.store, run)),
      ...(isGuest(origin) ? { project: folderName(project.folder ?? project.root) } : {}),
      ...(nodes === undefined ? {} : { nodes }),
      ...(progress === undefined ? {} : { progress }),
      ...(result === undefined ? {} : { result }),
      ...app.runs.activity(run),
      carried: app.runs.isActive(run),
      ...(isGuest(origin) ? {} : { filing: filingOf(app.projects.state(project.id), run) }),
    };
  },
});
