import { z } from 'zod';
import { askQuestion, deliverAnswer, questionOfCall } from '../../core/attempt/decide-question.ts';
import { AppError } from '../../errors.ts';
import { promptText } from '../../roles/prompt.ts';
import { runStream } from '../../schema/ids.ts';
import { crashpoint } from '../../world.ts';
import { AttemptCaller, WaitSeconds } from '../attempt-caller.ts';
import { requireActive, requireControl, requireTask } from '../find-run.ts';
import { operation } from '../operation.ts';
import { waitForChange } from '../wait-for-change.ts';

const MINUTE_MS = 60_000;

const Answer = z.union([
  z.object({ answered: z.literal(true), answer: z.string(), byDefault: z.boolean() }),
  z.object({ answered: z.literal(false), question: z.string(), instruction: z.string() }),
]);

/** Asks the person who requested the work; without an answer in time the task waits and continues with it later. */
export const askUser = operation({
  name: 'ask-user',
  where: 'engine',
  summary:
    'Ask the person who requested this work, only about what you cannot decide or find out. Waits at most 90 seconds; without an answer end your turn, and you are continued with the answer',
  http: { unreachable: 'An agent calls it through the socket of its attempt.' },
  allow: ['attempt'],
  input: z.object({
    ...AttemptCaller,
    question: z.string().trim().min(1).max(4_000),
    options: z.array(z.string().min(1).max(500)).min(2).max(10).optional().describe('Answers to choose from.'),
    default: z.string().min(1).max(4_000).optional().describe('The answer without an answer before the deadline.'),
    minutes: z.number().positive().max(43_200).optional().describe('The deadline, from now; needs a default.'),
    seconds: WaitSeconds,
  }),
  output: Answer,
  run: async (app, { question, options, minutes, seconds, ...input }, { origin, signal }) => {
    const { run, task, attempt, call, default: fallback } = input;
    const { redact } = requireActive(app, run);
    if (minutes !== undefined && fallback === undefined)
      throw new AppError(
        'INPUT_INVALID',
        'A deadline (minutes) needs a default, which is the answer when it has passed',
      );
    const now = app.world.now();
    const text = redact(question);
    const command = {
      task,
      attempt,
      call,
      now,
      text,
      ...(options === undefined ? {} : { options: options.map((each) => redact(each)) }),
      ...(fallback === undefined ? {} : { default: redact(fallback) }),
      ...(fallback === undefined || minutes === undefined ? {} : { deadline: now + minutes * MINUTE_MS }),
    };
    const control = requireControl(app);
    crashpoint('question.asking');
    await control.submit(run, (state) => askQuestion(state, command), origin);
    crashpoint('question.asked');
    const find = () => questionOfCall(requireTask(app.runs.state(run), task), { call, text });
    const id = find()?.id ?? '';
    const answerOf = () =>
      requireTask(app.runs.state(run), task).questions?.find((each) => each.id === id)?.answer ?? undefined;
    const caller = { run, task };
    const answer = await waitForChange(app, { caller, streams: [runStream(run)], seconds, signal }, answerOf);
    if (answer === undefined)
      return { answered: false as const, question: id, instruction: promptText('roles/sections/answer-pending', {}) };
    // A client that disconnected did not get it: its repeated call does, or the next attempt.
    signal.throwIfAborted();
    crashpoint('question.delivering');
    await control.submit(run, (state) => deliverAnswer(state, { task, question: id }), origin);
    crashpoint('question.delivered');
    return { answered: true as const, answer: answer.text, byDefault: answer.byDefault };
  },
});
