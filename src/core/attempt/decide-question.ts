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
export type AnswerQuestion = { question: string; answer: string; byDefault?: boolean; isAwaited: boolean; now: number };

const MOST_QUESTIONS = 20;

/** An agent that waits for an answer has usually nothing to show yet: these are no failures then. */
const UNFINISHED: readonly FailureKind[] = ['no-change', 'bad-output', 'implementation', 'tests'];

/** Asks a person; the same call, or the same text while it is open, asks nothing again. */
export function askQuestion(state: RunState, { task: key, attempt, call, now: _, ...input }: AskQuestion): RunEvent[] {
  const task = requireTask(state, key);
  const { questions = [] } = task;
  if (findAsked(task, { call, text: input.text }) !== undefined) return [];
  if (questions.length >= MOST_QUESTIONS)
    throw new AppError('REFUSED', `Task ${key} has asked ${MOST_QUESTIONS} questions; decide yourself and say how`);
  const question = { id: `q${task.ordinal}-${questions.length + 1}`, ...input };
  return [{ type: 'task.asked', data: { task: key, attempt, call, question } }];
}

/** The question of a call, or an open one with the same text. */
export function findAsked(
  { questions = [] }: TaskState,
  { call, text }: { call: string; text: string },
): QuestionState | undefined {
  return questions.find((each) => each.call === call || (each.text === text && each.answer === null));
}

/** Answers a question; an agent that no longer waits for it in a call gets the answer as a message in its session. */
export function answerQuestion(state: RunState, command: AnswerQuestion): RunEvent[] {
  const { task, question } = findQuestion(state, command.question);
  const { answer, byDefault, isAwaited, now } = command;
  if (question.answer !== null)
    throw new AppError('REFUSED', `Question ${question.id} was answered: ${question.answer.text}`, {
      run: state.start.run,
    });
  if (!isOpen(task))
    throw new AppError('REFUSED', `Task ${task.spec.key} has ended, and its question with it`, {
      run: state.start.run,
    });
  if (answer.trim() === '') throw new AppError('INPUT_INVALID', 'The answer is empty');
  const data = { task: task.spec.key, question: question.id, answer, ...(byDefault ? { byDefault } : {}) };
  const answered: RunEvent = { type: 'task.answered', data };
  if (isAwaited) return [answered];
  const message = promptText('roles/sections/answer', { question: question.text, answer });
  return [answered, ...sendMessage(state, { task: task.spec.key, message, comments: [], now })];
}

/** Answers a question by its default, unless somebody was faster. */
export function defaultAnswer(
  state: RunState,
  { question: id }: { question: string },
  { now, waits }: { now: number; waits: { isAwaited(name: string): boolean } },
): RunEvent[] {
  const { task, question } = findQuestion(state, id);
  if (question.answer !== null || question.default === undefined || !isOpen(task)) return [];
  const isAwaited = waits.isAwaited(`${state.start.run} ${id}`);
  return answerQuestion(state, { question: id, answer: question.default, byDefault: true, isAwaited, now });
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

/** The open questions of a run, in the order of its tasks. */
export function openQuestions(state: RunState): { task: TaskKey; question: QuestionState }[] {
  return Object.values(state.openQuestions ?? {}).flatMap((key) => {
    const open = state.tasks[key]?.questions?.filter(({ answer }) => answer === null) ?? [];
    return open.map((question) => ({ task: key, question }));
  });
}

/** After an attempt that asked and was not answered its task waits, and costs nothing; undefined where it asked nothing. */
export function waitForAnswer(state: RunState, task: TaskState, failure: Failure | undefined): RunEvent[] | undefined {
  const open = task.questions?.find(({ answer }) => answer === null);
  if (open === undefined || (failure !== undefined && !UNFINISHED.includes(failure.kind))) return undefined;
  const nextStep = `manyhands answer ${state.start.run} ${open.id} "<answer>"`;
  const data: RunEventOf<'task.blocked'>['data'] = {
    task: task.spec.key,
    reason: `Its agent asks: ${open.text}`,
    nextStep,
  };
  return [{ type: 'task.blocked', data }];
}
