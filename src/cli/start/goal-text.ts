import { resolve } from 'node:path';
import { AppError } from '../../errors.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readNamedFile } from './named-file.ts';

/** The text of a goal or task: as argument, from standard input for `-`, from a file for `@file`. */
export async function readGoalText(terminal: Terminal, words: readonly string[]): Promise<string> {
  const argument = words.join(' ');
  const text = (await source(terminal, argument)).trim();
  if (text !== '') return text;
  const where = argument === '-' ? 'Standard input' : argument.startsWith('@') ? argument.slice(1) : 'The text';
  throw new AppError('USAGE', `${where} is empty`);
}

async function source(terminal: Terminal, argument: string): Promise<string> {
  if (argument === '-') return terminal.readInput();
  if (!argument.startsWith('@')) return argument;
  return readNamedFile(resolve(terminal.cwd, argument.slice(1)));
}
