import { z } from 'zod';
import { pauseRun as decidePause } from '../../core/run/pause.ts';
import { RunDocument } from '../../schema/document.ts';
import { findRun, RunRef, requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';
import { documentOf } from '../run-document.ts';

/** Pauses a run, or one of its tracks, until it is resumed: no new attempts start; running ones continue to their end. */
export const pauseRun = operation({
  name: 'pause-run',
  where: 'engine',
  summary: 'Pause a run, or one of its tracks: no new attempts start until it is resumed',
  http: 'POST /api/runs/{run}/pause',
  allow: ['operator'],
  input: z.object({ ...RunRef, track: z.string().optional(), reason: z.string().default('paused by a person') }),
  output: RunDocument,
  run: async (app, { reason, track, ...ref }, { origin }) => {
    const { run } = (await findRun(app, ref)).start;
    const pause = { reason, ...(track === undefined ? {} : { track }) };
    return documentOf(app, await requireControl(app).submit(run, (state) => decidePause(state, pause), origin));
  },
});
