import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { AppError, messageOf } from '../../errors.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The text of a goal or task: as given, from standard input for `-`, from a file for `@file`. */
export async function readGoalText(terminal: Terminal, words: readonly string[]): Promise<string> {
  const given = words.join(' ');
  const text = (await source(terminal, given)).trim();
  if (text !== '') return text;
  const where = given === '-' ? 'Standard input' : given.startsWith('@') ? given.slice(1) : 'The text';
  throw new AppError('USAGE', `${where} is empty`);
}

async function source(terminal: Terminal, given: string): Promise<string> {
  if (given === '-') return terminal.readInput();
  if (!given.startsWith('@')) return given;
  const file = resolve(terminal.cwd, given.slice(1));
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new AppError('USAGE', `The file ${file} cannot be read: ${messageOf(error)}`, { file }, { cause: error });
  }
}
