import { z } from 'zod';
import { redactForms } from '../../core/redact.ts';
import { titleRun } from '../../core/run/decide-run.ts';
import { RunDocument } from '../../schema/document.ts';
import { findRun, RunRef, requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';
import { documentOf } from '../run-document.ts';

/** Changes the title of a run, whether it is active or has ended. */
export const renameRun = operation({
  name: 'rename-run',
  where: 'engine',
  summary: 'Change the title of a run',
  http: 'POST /api/runs/{run}/rename',
  allow: ['operator'],
  input: z.object({ ...RunRef, title: z.string().trim().min(1).max(200) }),
  output: RunDocument,
  run: async (app, { title, ...ref }, { origin }) => {
    const { run } = (await findRun(app, ref)).start;
    return documentOf(
      app,
      await requireControl(app).submit(run, (state) => titleRun(state, redactForms(title)), origin),
    );
  },
});
