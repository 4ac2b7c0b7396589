import { z } from 'zod';
import { completeKey, findRun, RunRef, requireControl } from '../find-run.ts';
import { stream } from '../operation.ts';

/** Runs the application on the saved work of a task, or on the result of the run, until the caller ends the stream. */
export const previewTask = stream({
  name: 'preview-task',
  where: 'engine',
  summary: 'Run the application on the work of a task, until the stream is closed',
  http: { unreachable: 'A preview belongs to the terminal that shows its address, and ends with it.' },
  allow: ['operator'],
  tool: { none: 'A preview belongs to the terminal that shows its address, and ends with it.' },
  input: z.object({ ...RunRef, task: z.string().optional().describe('Default: the result of the run so far.') }),
  output: z.object({ url: z.string(), commit: z.string(), run: z.string(), task: z.string().nullable() }),
  cursor: 'url',
  async *run(app, { task, ...ref }, { signal }) {
    const state = await findRun(app, ref);
    const { run } = state.start;
    const key = task === undefined ? undefined : completeKey(state, task);
    const ready = Promise.withResolvers<{ url: string; commit: string }>();
    const ended = requireControl(app).preview(run, { task: key, onReady: ready.resolve }, signal);
    ended.catch(ready.reject);
    const { url, commit } = await ready.promise;
    yield [{ url, commit, run, task: key ?? null }];
    await ended;
  },
});
