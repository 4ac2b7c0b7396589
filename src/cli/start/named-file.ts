import { readFile } from 'node:fs/promises';
import { AppError, unreadableText } from '../../errors.ts';

/** The text of a file that the command line names; `what` names it in the error. */
export async function readNamedFile(file: string, what = 'The file'): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new AppError('USAGE', `${what} ${file} ${unreadableText(error)}`, { file }, { cause: error });
  }
}
