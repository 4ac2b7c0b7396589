import type { RunEventOf } from '../../schema/event.ts';
import type { When } from '../run/holds.ts';
import { taskOf } from '../run/phase.ts';
import type { RunState } from '../run/state.ts';

/** Adds a question to its task. */
export function foldAsked(state: RunState, event: RunEventOf<'task.asked'>, at: number): void {
  const { task: key, attempt, call, question } = event.data;
  const task = taskOf(state, key);
  task.questions = [...(task.questions ?? []), { ...question, attempt, call, at, answer: null }];
  state.openQuestions = { ...state.openQuestions, [question.id]: key };
}

/** Records the answer to a question. */
export function foldAnswered(state: RunState, event: RunEventOf<'task.answered'>, { at, origin }: When): void {
  const { task: key, question: id, answer: text, byDefault = false } = event.data;
  const question = taskOf(state, key).questions?.find((each) => each.id === id);
  if (question !== undefined) question.answer = { text, byDefault, at, origin: origin ?? null };
  const { [id]: _, ...others } = state.openQuestions ?? {};
  state.openQuestions = others;
}
