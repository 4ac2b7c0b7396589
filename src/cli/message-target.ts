import { AppError } from '../errors.ts';
import type { RunDocument } from '../schema/document.ts';

const WAITING: ReadonlySet<string> = new Set(['held', 'blocked']);

/** The task that a message is for, and the words of the message: the first word is the task if the run has one of that name and more words follow. */
export function messageTarget(document: RunDocument, words: readonly string[]): { task: string; words: string[] } {
  const [first, ...rest] = words;
  const named = first === undefined || rest.length === 0 ? undefined : taskNamed(document, first);
  return named === undefined ? { task: onlyTask(document), words: [...words] } : { task: named, words: rest };
}

function taskNamed({ tasks }: RunDocument, word: string): string | undefined {
  const found = tasks.filter(({ key, name }) => key === word || name === word || key.endsWith(`/${word}`));
  return found.length === 1 ? found[0]?.key : undefined;
}

/** The only running task, else the only one that waits for the user, else the only one of the run. */
function onlyTask({ run, tasks }: RunDocument): string {
  const running = tasks.filter(({ status }) => status === 'running');
  const waiting = tasks.filter(({ status }) => WAITING.has(status));
  const [candidates = tasks] = [running, waiting].filter(({ length }) => length > 0);
  const [only, second] = candidates;
  if (only !== undefined && second === undefined) return only.key;
  const keys = candidates.slice(0, 8).map(({ key }) => key);
  throw new AppError(
    'USAGE',
    `Several tasks could receive the message (${keys.join(', ')}). Name one: manyhands send ${run} <task> <message>`,
    {
      run,
    },
  );
}
