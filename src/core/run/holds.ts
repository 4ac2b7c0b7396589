import type { Origin } from '../../schema/actor.ts';
import type { Hold, HoldId } from '../../schema/event.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { HoldAnswer, OpenHold, RunState } from './state.ts';

/** When something happened, and who caused it. */
export type Stamp = { at: number; origin: Origin | undefined };

/** A hold that waits for an answer; `task` is null where the run itself is held. */
export type WaitingHold = { task: TaskKey | null; hold: OpenHold };

/** The id of a hold that the folded event creates: from its version, so that it is unique in the run. */
export function holdIdAt(state: RunState): HoldId {
  return `h${state.version}`;
}

/** All holds that wait for an answer: the run's own first, then those of its tasks in their order. */
export function openHolds(state: RunState): WaitingHold[] {
  const holds: WaitingHold[] = state.status.kind === 'held' ? [{ task: null, hold: state.status.hold }] : [];
  if (state.counts.held === 0) return holds;
  for (const key of state.order) {
    const phase = state.tasks[key]?.phase;
    if (phase?.status === 'held') holds.push({ task: key, hold: phase.hold });
  }
  return holds;
}

/** Records the answer to a hold. */
export function recordAnswer(
  state: RunState,
  hold: OpenHold,
  answer: Stamp & { task: TaskKey | null; choice: HoldAnswer['choice'] } & {
    note?: string | undefined;
    option?: string | undefined;
  },
): void {
  const { task, choice, note, option, at, origin } = answer;
  state.answers.push({
    hold: hold.id,
    task,
    what: hold.what,
    subject: hold.subject ?? null,
    choice,
    option: option ?? null,
    note: note ?? null,
    at,
    origin: origin ?? null,
  });
}

/** Whether a person approved exactly this; an answer recorded by an earlier version has no subject and covers all holds of its kind. */
export function isApproved(state: RunState, what: Hold['what'], subject: string): boolean {
  return state.answers.some(
    (answer) =>
      answer.choice === 'approve' && answer.what === what && (answer.subject === null || answer.subject === subject),
  );
}

/** Whether a person approved a hold of the run with exactly this subject. */
export function isSubjectApproved({ answers }: RunState, what: Hold['what'], subject: string): boolean {
  return answers.some(
    (answer) =>
      answer.task === null && answer.choice === 'approve' && answer.what === what && answer.subject === subject,
  );
}

/** Why a person rejected exactly this, if at all. */
export function rejectionOf(state: RunState, what: Hold['what'], subject: string): string | undefined {
  const answer = state.answers.findLast((each) => each.what === what && each.subject === subject);
  return answer?.choice === 'reject' ? (answer.note ?? '') : undefined;
}
