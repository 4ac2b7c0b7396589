import type { RunEventOf } from '../../schema/event.ts';
import type { Stamp } from '../run/holds.ts';
import { taskOf } from '../run/phase.ts';
import type { RunState } from '../run/state.ts';

/** Adds a question to its task; one that a later attempt asks again is now the question of that attempt. */
export function foldAsked(state: RunState, event: RunEventOf<'task.asked'>, at: number): void {
  const { task: key, attempt, call, question } = event.data;
  const task = taskOf(state, key);
  const known = task.questions?.find(({ id }) => id === question.id);
  if (known !== undefined) {
    known.attempt = attempt;
    known.call = call;
    return;
  }
  task.questions = [...(task.questions ?? []), { ...question, attempt, call, at, answer: null }];
  state.openQuestions = { ...state.openQuestions, [question.id]: key };
}

/** Records the answer to a question. */
export function foldAnswered(state: RunState, event: RunEventOf<'task.answered'>, { at, origin }: Stamp): void {
  const { task: key, question: id, answer: text, byDefault = false, delivery } = event.data;
  const question = taskOf(state, key).questions?.find((each) => each.id === id);
  if (question !== undefined) {
    question.answer = { text, byDefault, at, origin: origin ?? null };
    if (delivery === 'call') question.isUndelivered = true;
  }
  const { [id]: _, ...others } = state.openQuestions ?? {};
  state.openQuestions = others;
}

/** Its agent has the answer, or gets it with its next prompt. */
export function foldDelivered(state: RunState, event: RunEventOf<'task.answer-delivered'>): void {
  const { task, question: id } = event.data;
  const question = taskOf(state, task).questions?.find((each) => each.id === id);
  if (question !== undefined) delete question.isUndelivered;
}
