import { z } from 'zod';
import { answerQuestion as decideAnswer } from '../../core/attempt/decide-question.ts';
import { RunDocument } from '../../schema/document.ts';
import { crashpoint } from '../../world.ts';
import { findRun, RunRef, requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';
import { documentOf } from '../run-document.ts';

/** Answers a question of an agent; its task continues with the answer. */
export const answerQuestion = operation({
  name: 'answer-question',
  where: 'engine',
  summary: 'Answer a question of an agent; its task continues with the answer in the same session',
  http: 'POST /api/runs/{run}/questions/{question}/answer',
  allow: ['operator'],
  input: z.object({ ...RunRef, question: z.string(), answer: z.string().min(1).max(100_000) }),
  output: RunDocument,
  run: async (app, { question, answer, ...ref }, { origin }) => {
    const { start } = await findRun(app, ref);
    const control = requireControl(app);
    crashpoint('question.answering');
    const state = await control.submit(
      start.run,
      (before) => decideAnswer(before, { question, answer, now: app.world.now() }),
      origin,
    );
    crashpoint('question.answered');
    return documentOf(app, state);
  },
});
