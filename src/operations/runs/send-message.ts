import { runDocument } from '../../core/view/document.ts';
import { completeKey, findRun, requireEngine } from '../find-run.ts';
import type { Operation } from '../operation.ts';

/** Tells the agent of a task something: in its session, or in the prompt of its next attempt. */
export const sendMessage: Operation<'send-message'> = async (ports, input) => {
  const found = await findRun(ports, input);
  const { message, comments } = input;
  const sent = { task: completeKey(found, input.task), message, comments };
  return runDocument(await requireEngine(ports).send(found.start.run, sent));
};
