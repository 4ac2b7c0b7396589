import { AppError } from '../errors.ts';
import { readAskedWork } from './asked-work.ts';
import { shellWord } from './shell-word.ts';
import type { Terminal } from './terminal.ts';

/** What to say when a goal is the text of a file that describes work by itself; a to-do list is a fine goal. */
export async function workFileNote(terminal: Terminal, words: readonly string[], dir: string): Promise<string[]> {
  const given = words.join(' ');
  if (!given.startsWith('@')) return [];
  const file = given.slice(1);
  try {
    const { work } = await readAskedWork(terminal, { given: file, dir });
    if (work.recipe === 'todo') return [];
    return [
      `${file} is a work file (${work.format}), and its text is taken as a goal here; manyhands run ${shellWord(file)} carries it out as what it is.`,
    ];
  } catch (error) {
    // What is no work file is a goal like any other.
    if (error instanceof AppError) return [];
    throw error;
  }
}
