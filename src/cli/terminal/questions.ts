import type { ReadStream, WriteStream } from 'node:tty';

/** One of several things to choose. */
type Option = { value: string; label: string; hint?: string; isChosen: boolean };

/** Questions to the person at the terminal; null when that person breaks off. */
export interface Questions {
  /** Those that were chosen, in the order given; none is an answer too. */
  choose(question: string, options: readonly Option[]): Promise<string[] | null>;
  /** A line of text, with an answer that is taken as it is by pressing return. */
  text(question: string, answer: string): Promise<string | null>;
}

/** Asks on stderr, because stdout belongs to the output; undefined where there is nobody to ask. */
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
