import { pauseRun as decidePause } from '../../core/run/pause.ts';
import { runDocument } from '../../core/view/document.ts';
import { findRun, requireEngine } from '../find-run.ts';
import type { Operation } from '../operation.ts';

/** Starts nothing more in a run, or in one of its tracks, until it is resumed; what runs goes on to its end. */
export const pauseRun: Operation<'pause-run'> = async (ports, { reason, track, ...ref }) => {
  const { start } = await findRun(ports, ref);
  const what = { reason, ...(track === undefined ? {} : { track }) };
  return runDocument(await requireEngine(ports).submit(start.run, (state) => decidePause(state, what)));
};
