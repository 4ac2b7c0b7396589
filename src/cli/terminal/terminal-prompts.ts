import type { ReadStream, WriteStream } from 'node:tty';

/** One option of a multiple choice. */
type Option = { value: string; label: string; hint?: string; isChosen: boolean };

/** Prompts for the user; null when the user cancels. */
export interface Questions {
  /** The chosen values in the order of the options; possibly none. */
  choose(question: string, options: readonly Option[]): Promise<string[] | null>;
  /** A line of text, with a default answer. */
  text(question: string, answer: string): Promise<string | null>;
}

/** Asks on stderr, because stdout is reserved for output; undefined without a terminal. */
export async function createQuestions(
  stdin: ReadStream,
  stderr: WriteStream,
  env: NodeJS.ProcessEnv,
): Promise<Questions | undefined> {
  if (!stdin.isTTY || !stderr.isTTY || env.TERM === 'dumb') return undefined;
  const { isCancel, multiselect, text } = await import('@clack/prompts');
  const streams = { input: stdin, output: stderr };
  return {
    choose: async (message, options) => {
      const answer = await multiselect({
        message,
        options: options.map(({ value, label, hint }) => ({ value, label, ...(hint === undefined ? {} : { hint }) })),
        initialValues: options.filter(({ isChosen }) => isChosen).map(({ value }) => value),
        required: false,
        ...streams,
      });
      return isCancel(answer) ? null : options.map(({ value }) => value).filter((value) => answer.includes(value));
    },
    text: async (message, initialValue) => {
      const answer = await text({ message, initialValue, ...streams });
      return isCancel(answer) ? null : answer.trim();
    },
  };
}
