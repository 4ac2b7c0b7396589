import { z } from 'zod';
import { RunDocument } from '../../schema/document.ts';
import { MessageText, ReviewComment } from '../../schema/message.ts';
import { completeKey, findRun, RunRef, requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';
import { documentOf } from '../run-document.ts';

/** Sends a message to the agent of a task: in its session, or in the prompt of its next attempt. */
export const sendMessage = operation({
  name: 'send-message',
  where: 'engine',
  summary: 'Send a message, or comments on lines of the diff, to the agent of a task',
  http: 'POST /api/runs/{run}/tasks/{task}/messages',
  allow: ['operator'],
  input: z.object({
    ...RunRef,
    task: z.string(),
    message: MessageText.default('').describe('May be empty if there are comments.'),
    comments: z.array(ReviewComment).max(500).default([]),
  }),
  output: RunDocument,
  run: async (app, { task, message, comments, ...ref }, { origin }) => {
    const found = await findRun(app, ref);
    const sent = { task: completeKey(found, task), message, comments };
    return documentOf(app, await requireControl(app).send(found.start.run, sent, origin));
  },
});
