import { z } from 'zod';
import { messageSection } from '../../core/attempt/message.ts';
import { MessageText, ReviewComment } from '../../schema/message.ts';
import { completeKey, findRun, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';

/** Shows a message as the agent of a task would read it, without sending it. */
export const previewMessage = operation({
  name: 'preview-message',
  where: 'anywhere',
  summary: 'Show a message as the agent of a task would read it, without sending it',
  http: 'POST /api/runs/{run}/tasks/{task}/messages/preview',
  allow: ['operator'],
  input: z.object({
    ...RunRef,
    task: z.string(),
    message: MessageText.default(''),
    comments: z.array(ReviewComment).max(500).default([]),
  }),
  output: z.object({ text: z.string() }),
  run: async (app, { task, message, comments, ...ref }) => {
    const state = await findRun(app, ref);
    const found = state.tasks[completeKey(state, task)];
    if (found === undefined) return { text: message };
    const last = found.attempts.at(-1);
    const sent = { id: 'preview', message, comments, at: 0, after: found.attempts.length, session: null };
    const attempt = { number: found.attempts.length + 1, session: last?.session ?? null };
    return { text: messageSection({ ...found, messages: [...found.messages, sent] }, attempt).trim() };
  },
});
