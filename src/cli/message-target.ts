import { AppError } from '../errors.ts';
import type { RunDocument } from '../schema/document.ts';

const WAITING: ReadonlySet<string> = new Set(['held', 'blocked']);

/** Which task a message is for, and the words of it: the first word names a task if the run has one so called and more follows. */
export function messageTarget(document: RunDocument, words: readonly string[]): { task: string; words: string[] } {
  const [first, ...rest] = words;
  const named = first === undefined || rest.length === 0 ? undefined : taskCalled(document, first);
  return named === undefined ? { task: onlyTask(document), words: [...words] } : { task: named, words: rest };
}

function taskCalled({ tasks }: RunDocument, word: string): string | undefined {
  const found = tasks.filter(({ key, name }) => key === word || name === word || key.endsWith(`/${word}`));
  return found.length === 1 ? found[0]?.key : undefined;
}

/** The task that is at work, else the one that waits for a person, else the only one there is. */
function onlyTask({ run, tasks }: RunDocument): string {
  const atWork = tasks.filter(({ status }) => status === 'running');
  const waiting = tasks.filter(({ status }) => WAITING.has(status));
  const [candidates = tasks] = [atWork, waiting].filter(({ length }) => length > 0);
  const [only, second] = candidates;
  if (only !== undefined && second === undefined) return only.key;
  const keys = candidates.slice(0, 8).map(({ key }) => key);
  throw new AppError(
    'USAGE',
    `Name the task that is meant: manyhands send ${run} <task> <message>; ${keys.join(', ')}`,
    {
      run,
    },
  );
}
