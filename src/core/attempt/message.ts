import { promptText } from '../../roles/prompt.ts';
import type { ReviewComment, TaskMessage } from '../../schema/message.ts';
import { type AttemptState, lastAttempt, type SentMessage, type TaskState } from '../run/state.ts';

/** The most of the previous agent's last message that the next prompt repeats. */
const SUMMARY_CHARS = 2_000;

/** The messages for an attempt: those that were sent before it and that its session has not received. */
export function messagesFor(task: TaskState, attempt: Pick<AttemptState, 'number' | 'session'>): SentMessage[] {
  return task.messages.filter(
    ({ after, session }) => after < attempt.number && (session === null || session !== attempt.session),
  );
}

/** Whether the next attempt resumes the last one to deliver a message. */
export function hasUndeliveredMessage(task: TaskState): boolean {
  const last = lastAttempt(task);
  return task.resume && last !== undefined && messagesFor(task, { ...last, number: last.number + 1 }).length > 0;
}

/** The section of a prompt that holds the messages verbatim; empty where there are none. */
export function messageSection(task: TaskState, attempt: Pick<AttemptState, 'number' | 'session'>): string {
  const messages = messagesFor(task, attempt).map(messageText);
  const [first] = messages;
  if (first === undefined) return '';
  const previous = previousAttempt(attempt, task.attempts[attempt.number - 2]);
  const section =
    messages.length === 1
      ? promptText('roles/sections/message', { previous, message: first })
      : promptText('roles/sections/messages', { previous, messages: messages.map(numberedMessage).join('\n\n') });
  return `\n${section}\n`;
}

function numberedMessage(message: string, index: number): string {
  return promptText('roles/sections/numbered-message', { number: String(index + 1), message });
}

function previousAttempt(attempt: Pick<AttemptState, 'session'>, before: AttemptState | undefined): string {
  if (before?.ended == null) return '';
  const summary = attempt.session === null ? before.ended.summary.trim().slice(0, SUMMARY_CHARS) : '';
  return promptText('roles/sections/previous-attempt', { summary: summary === '' ? '' : quoteText(summary) });
}

/** A message as an agent reads it: the person's text, then the comments as one review. */
export function messageText({ message, comments }: Pick<TaskMessage, 'message' | 'comments'>): string {
  if (comments.length === 0) return message;
  const count = comments.length === 1 ? 'A comment' : `${comments.length} comments`;
  const texts = comments.map(commentText).join('\n\n');
  return promptText('roles/sections/review-comments', { message, count, comments: texts });
}

/** The file and the quoted lines are not the person's text: both are quoted. */
function commentText({ path, side, line, endLine, quote, text }: ReviewComment, index: number): string {
  return promptText('roles/sections/review-comment', {
    number: String(index + 1),
    path: JSON.stringify(path),
    lines: endLine === undefined || endLine === line ? `line ${line}` : `lines ${line} to ${endLine}`,
    isOld: side === 'old',
    isNew: side !== 'old',
    quote: quote === undefined || quote === '' ? '' : quoteText(quote),
    text,
  });
}

function quoteText(text: string): string {
  return text
    .split(/\r\n|[\n\r\u2028\u2029\u0085\v\f]/)
    .map((line) => `| ${line}`)
    .join('\n');
}
