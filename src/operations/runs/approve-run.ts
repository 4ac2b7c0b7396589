import { approve } from '../../core/run/answer-hold.ts';
import { runDocument } from '../../core/view/document.ts';
import { completeKey, findRun, requireEngine } from '../find-run.ts';
import type { Operation } from '../operation.ts';

/** Approves a plan, or the held work of one task or of all. */
export const approveRun: Operation<'approve-run'> = async (ports, input) => {
  const found = await findRun(ports, input);
  const engine = requireEngine(ports);
  const task = input.task === undefined ? {} : { task: completeKey(found, input.task) };
  const note = input.note === undefined ? {} : { note: input.note };
  await engine.resume(found.start.run);
  return runDocument(await engine.submit(found.start.run, (state) => approve(state, { ...task, ...note })));
};
