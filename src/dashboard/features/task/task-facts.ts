import type { AttemptState, TaskPhase, TaskState } from '../../../core/run/state.ts';
import type { OperationOutput } from '../../../operations/all.ts';
import type { Usage } from '../../../schema/usage.ts';

/** The reason for a task's state; null if there is none. */
export function reasonOf(phase: TaskPhase): string | null {
  switch (phase.status) {
    case 'held':
      return phase.hold.reason;
    case 'done':
      return phase.reason === 'landed' ? null : phase.reason;
    case 'blocked':
    case 'failed':
    case 'skipped':
    case 'cancelled':
      return phase.reason;
    case 'conflicted':
      return `Its work conflicts with landed changes in ${phase.files.join(', ')}. ${phase.resolver} resolves the conflict.`;
    case 'analyzing':
      return `${phase.analysis} analyzes why the last attempt failed.`;
    case 'verifying':
      return `${phase.verifier} verifies its work.`;
    case 'landing':
      return 'Its work is being checked and landed.';
    case 'waiting':
    case 'ready':
    case 'running':
      return null;
  }
}

/** The commit with a task's work: the landed one, else the last saved one. */
export function commitOf(task: TaskState): string | null {
  const { phase } = task;
  if (phase.status === 'done' && phase.commit !== null) return phase.commit;
  if (phase.status === 'held' || phase.status === 'landing' || phase.status === 'conflicted') return phase.commit;
  return task.attempts.findLast(({ ended }) => ended?.saved != null)?.ended?.saved?.commit ?? null;
}

/** The model of an attempt, if its agent reported it. */
export function modelOf(usage: Usage): string | null {
  return usage.kind === 'known' ? (usage.model ?? null) : null;
}

/** The effect of sending a message now, or why it is unavailable. */
export type MessageEffect = { button: string; effect: string } | { unavailable: string };

/** Predicts what the engine does with a message. */
export function messageEffect({ task, status, resumable }: MessageContext): MessageEffect {
  if (status === 'cancelling') return { unavailable: 'The run is being cancelled. Messages cannot be sent.' };
  if (status === 'cancelled') return { unavailable: 'The run was cancelled. Retry the task to reopen it.' };
  const last = task.attempts.at(-1);
  const { spec, phase } = task;
  switch (phase.status) {
    case 'running':
      return {
        button: 'Interrupt and send',
        effect: `${last?.agent ?? 'The agent'} is interrupted and continues with your message, ${sessionText(resumable)}.`,
      };
    case 'waiting':
    case 'ready':
    case 'analyzing':
      return { button: 'Send', effect: 'The agent receives your message when its next attempt starts.' };
    case 'landing':
    case 'verifying':
    case 'conflicted':
      return { unavailable: 'Its work is landing. You can send a message when that has ended.' };
    case 'held':
    case 'blocked':
      return { button: 'Send and continue', effect: newAttempt(last, resumable) };
    case 'done':
    case 'failed':
    case 'skipped':
    case 'cancelled': {
      const served = spec.resolves ?? spec.analyzes ?? spec.verifies;
      if (served !== undefined)
        return { unavailable: `This task served ${served} and has ended. Send a message to ${served}.` };
      const stale = phase.status === 'done' ? ' Tasks that depend on it are redone.' : '';
      return { button: 'Send and continue', effect: `${newAttempt(last, resumable)}${stale}` };
    }
  }
}

type MessageContext = Pick<TaskView, 'task' | 'status' | 'resumable'>;

function newAttempt(last: AttemptState | undefined, resumable: boolean): string {
  if (last === undefined) return 'A first attempt starts with your message.';
  return `Attempt ${last.number + 1} starts with your message, ${sessionText(resumable)}.`;
}

function sessionText(resumable: boolean): string {
  return resumable ? 'in the same session and workspace' : 'with its work so far, in a new session';
}

/** Sent messages that no attempt has received yet. */
export function pendingMessages(task: TaskState): string[] {
  return task.messages
    .filter(({ after }) => after >= task.attempts.length)
    .map(({ message, comments }) => {
      const text = message.trim();
      if (comments.length === 0) return text;
      const count = comments.length === 1 ? 'a comment' : `${comments.length} comments`;
      return text === '' ? count : `${text} (and ${count})`;
    });
}

/** The abbreviated hash of a commit or tree. */
export function short(hash: string): string {
  return hash.slice(0, 8);
}

/** A task with its run. */
export type TaskView = Omit<OperationOutput<'show-task'>, 'task'> & { task: TaskState };
