import { AppError } from '../../errors.ts';
import { promptText } from '../../roles/prompt.ts';
import type { Question } from '../../schema/coordination/question.ts';
import type { RunEvent, RunEventOf } from '../../schema/event.ts';
import type { Failure, FailureKind } from '../../schema/failure.ts';
import type { TaskKey } from '../../schema/ids.ts';
import { taskOf } from '../run/phase.ts';
import { requireTask } from '../run/require.ts';
import { isOpen, type QuestionState, type RunState, type TaskState } from '../run/state.ts';
import { sendMessage } from './decide-message.ts';

export type AskQuestion = { task: TaskKey; attempt: number; call: string; now: number } & Omit<Question, 'id'>;
export type AnswerQuestion = { question: string; answer: string; byDefault?: boolean; now: number };

const MOST_QUESTIONS = 20;
const MOST_OPEN_OF_RUN = 50;

/** An agent that waits for an answer has usually nothing to show yet: these are no failures then. */
const UNFINISHED: readonly FailureKind[] = ['no-change', 'bad-output', 'implementation', 'tests'];

/** Asks a person; the same call, or the same text while its answer is pending, asks nothing again. */
export function askQuestion(state: RunState, { task: key, attempt, call, now: _, ...input }: AskQuestion): RunEvent[] {
  const task = requireTask(state, key);
  const { questions = [] } = task;
  const known = questionOfCall(task, { call, text: input.text });
  if (known !== undefined) {
    if (known.attempt === attempt || known.answer !== null) return [];
    return [{ type: 'task.asked', data: { task: key, attempt, call, question: { ...input, id: known.id } } }];
  }
  if (questions.length >= MOST_QUESTIONS)
    throw new AppError('REFUSED', `Task ${key} has asked ${MOST_QUESTIONS} questions; decide yourself and say how`);
  if (openQuestions(state).length >= MOST_OPEN_OF_RUN)
    throw new AppError('REFUSED', `${MOST_OPEN_OF_RUN} questions of this run are open; decide yourself and say how`);
  const question = { id: `q${task.ordinal}-${questions.length + 1}`, ...input };
  return [{ type: 'task.asked', data: { task: key, attempt, call, question } }];
}

/** The question of a call, or one with the same text whose answer the agent does not have. */
export function questionOfCall(
  { questions = [] }: TaskState,
  { call, text }: { call: string; text: string },
): QuestionState | undefined {
  return questions.find(
    (each) => each.call === call || (each.text === text && (each.answer === null || each.isUndelivered)),
  );
}

/**
 * Answers a question. A running agent gets the answer from the call that asked, also when the call is repeated after a
 * restart, and otherwise with the end of its turn; an agent that has stopped is continued with it.
 */
export function answerQuestion(state: RunState, command: AnswerQuestion): RunEvent[] {
  const { task, question } = findQuestion(state, command.question);
  const { answer, byDefault, now } = command;
  if (question.answer !== null)
    throw new AppError('REFUSED', `Question ${question.id} was answered: ${question.answer.text}`, {
      run: state.start.run,
    });
  if (!isOpen(task))
    throw new AppError('REFUSED', `Task ${task.spec.key} has ended, and its question with it`, {
      run: state.start.run,
    });
  if (state.status.kind === 'cancelling')
    throw new AppError('REFUSED', `Run ${state.start.run} is being cancelled, and its questions with it`, {
      run: state.start.run,
    });
  if (answer.trim() === '') throw new AppError('INPUT_INVALID', 'The answer is empty');
  const data = { task: task.spec.key, question: question.id, answer, ...(byDefault ? { byDefault } : {}) };
  if (task.phase.status === 'running' && task.phase.attempt === question.attempt)
    return [{ type: 'task.answered', data: { ...data, delivery: 'call' } }];
  const message = answerText(question, answer);
  return [{ type: 'task.answered', data }, ...sendMessage(state, { task: task.spec.key, message, comments: [], now })];
}

/** Records that the call which asked returns the answer; once is enough. */
export function deliverAnswer(
  state: RunState,
  { task: key, question: id }: { task: TaskKey; question: string },
): RunEvent[] {
  const question = requireTask(state, key).questions?.find((each) => each.id === id);
  return question?.isUndelivered ? [{ type: 'task.answer-delivered', data: { task: key, question: id } }] : [];
}

/** The answers that no call of the ending attempt returned, as messages for the next one. */
export function undeliveredAnswers({ spec, questions = [], messages }: TaskState): RunEvent[] {
  return questions
    .filter(({ isUndelivered }) => isUndelivered)
    .flatMap((question, index): RunEvent[] => {
      const message = answerText(question, question.answer?.text ?? '');
      const id = `m${messages.length + index + 1}`;
      return [
        { type: 'task.messaged', data: { task: spec.key, id, message, comments: [], goesOn: false } },
        { type: 'task.answer-delivered', data: { task: spec.key, question: question.id } },
      ];
    });
}

function answerText({ text }: QuestionState, answer: string): string {
  return promptText('roles/sections/answer', { question: text, answer });
}

/** Answers a question by its default, unless somebody was faster. */
export function defaultAnswer(state: RunState, { question: id, now }: { question: string; now: number }): RunEvent[] {
  const { task, question } = findQuestion(state, id);
  if (question.answer !== null || question.default === undefined || !isOpen(task)) return [];
  if (state.status.kind === 'cancelling') return [];
  return answerQuestion(state, { question: id, answer: question.default, byDefault: true, now });
}

/** A question of the run by its id. */
function findQuestion(state: RunState, id: string): { task: TaskState; question: QuestionState } {
  for (const key of state.order) {
    const task = taskOf(state, key);
    const question = task.questions?.find((each) => each.id === id);
    if (question !== undefined) return { task, question };
  }
  throw new AppError('QUESTION_UNKNOWN', `Run ${state.start.run} has no question ${id}`, { run: state.start.run });
}

/** The questions of a run that a person can answer: not those of a task that has ended, which nobody awaits. */
export function openQuestions(state: RunState): { task: TaskKey; question: QuestionState }[] {
  return [...new Set(Object.values(state.openQuestions ?? {}))].flatMap((key) => {
    const task = state.tasks[key];
    if (task === undefined || !isOpen(task)) return [];
    return (task.questions ?? []).flatMap((question) => (question.answer === null ? [{ task: key, question }] : []));
  });
}

/**
 * After an attempt that asked and was not answered its task waits, and costs nothing; with an answer that came too late
 * for its call it continues. Undefined where it asked nothing, or failed for another reason.
 */
export function followQuestion(
  state: RunState,
  task: TaskState,
  { failure, now }: { failure: Failure | undefined; now: number },
): RunEvent[] | undefined {
  if (failure !== undefined && !UNFINISHED.includes(failure.kind)) return undefined;
  const open = task.questions?.find(({ answer }) => answer === null);
  if (open === undefined) {
    const isAnswered = task.questions?.some(({ isUndelivered }) => isUndelivered);
    const data = { task: task.spec.key, at: now, counted: false, resume: true, evidence: '' };
    return isAnswered ? [{ type: 'task.retrying', data }] : undefined;
  }
  const nextStep = `manyhands answer ${state.start.run} ${open.id} "<answer>"`;
  const data: RunEventOf<'task.blocked'>['data'] = {
    task: task.spec.key,
    reason: `Its agent asks: ${open.text}`,
    nextStep,
  };
  return [{ type: 'task.blocked', data }];
}
