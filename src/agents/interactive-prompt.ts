import { readFile } from 'node:fs/promises';
import { promptText } from '../roles/prompt.ts';

/** Linux accepts no argument longer than 128 KiB. */
const LONGEST_ARGUMENT = 100_000;

/** The prompt as an argument, or a reference to its file if it is too long. */
export async function promptArgument(promptFile: string): Promise<string> {
  const prompt = await readFile(promptFile, 'utf8');
  if (Buffer.byteLength(prompt) <= LONGEST_ARGUMENT) return prompt;
  return promptText('roles/sections/read-prompt-file', { file: promptFile });
}
