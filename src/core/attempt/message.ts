import type { ReviewComment, TaskMessage } from '../../schema/message.ts';
import { type AttemptState, lastAttempt, type SentMessage, type TaskState } from '../run/state.ts';

/** Most of an agent's last words that the next one is told. */
const LAST_WORDS = 2_000;

/** The messages that an attempt is told: those that came before it and that its session has not heard. */
export function messagesFor(task: TaskState, attempt: Pick<AttemptState, 'number' | 'session'>): SentMessage[] {
  return task.messages.filter(
    ({ after, session }) => after < attempt.number && (session === null || session !== attempt.session),
  );
}

/** Whether the next attempt must be told something, in the session of the last one where there is one. */
export function isSpokenTo(task: TaskState): boolean {
  const last = lastAttempt(task);
  return task.resume && last !== undefined && messagesFor(task, { ...last, number: last.number + 1 }).length > 0;
}

/** The part of a prompt that holds the messages, letter for letter; nothing where there are none. */
export function messageSection(task: TaskState, attempt: Pick<AttemptState, 'number' | 'session'>): string {
  const messages = messagesFor(task, attempt);
  if (messages.length === 0) return '';
  const before = task.attempts[attempt.number - 2];
  const texts = messages.map((message, index) =>
    messages.length === 1 ? messageText(message) : `### Message ${index + 1}\n\n${messageText(message)}`,
  );
  return `\n## ${messages.length === 1 ? 'A message' : 'Messages'} from the person who asked for this\n\n${soFar(attempt, before)}Where ${messages.length === 1 ? 'it differs' : 'they differ'} from what is said above, the person's words count.\n\n${texts.join('\n\n')}\n`;
}

/** A message as an agent reads it: the person's words, then the comments as one review. */
export function messageText({ message, comments }: Pick<TaskMessage, 'message' | 'comments'>): string {
  if (comments.length === 0) return message;
  const count = comments.length === 1 ? 'A comment' : `${comments.length} comments`;
  const review = `${count} on lines of the diff. Lines that begin with | are quoted from it.\n\n${comments.map(commentText).join('\n\n')}`;
  return message.trim() === '' ? review : `${message}\n\n${review}`;
}

/** The file and the quoted lines are not the person's words: they stand in quotes, whatever is in them. */
function commentText({ path, side, line, endLine, quote, text }: ReviewComment, index: number): string {
  const lines = endLine === undefined || endLine === line ? `line ${line}` : `lines ${line} to ${endLine}`;
  const when = side === 'old' ? 'as it was before the change' : 'as it is now';
  const quoted = quote === undefined || quote === '' ? '' : `${quoteText(quote)}\n\n`;
  return `${index + 1}. ${JSON.stringify(path)}, ${lines}, ${when}:\n\n${quoted}${text}`;
}

function soFar(attempt: Pick<AttemptState, 'session'>, before: AttemptState | undefined): string {
  if (before?.ended == null) return '';
  const work = 'This was worked on before; what was made so far is in the current directory.';
  const said = before.ended.summary.trim().slice(0, LAST_WORDS);
  if (attempt.session !== null || said === '') return `${work} `;
  return `${work} Whoever did so said last:\n\n${quoteText(said)}\n\n`;
}

function quoteText(text: string): string {
  return text
    .split(/\r\n|[\n\r\u2028\u2029\u0085\v\f]/)
    .map((line) => `| ${line}`)
    .join('\n');
}
