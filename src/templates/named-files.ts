import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, type ErrorCode, fromSystemError, isAbsent } from '../errors.ts';
import { FileName } from '../schema/template.ts';

/** A folder of named files: its path, the ending of its files, and the error code for invalid ones. */
export type NamedFiles = { folder: string; ending: '.md' | '.yaml'; errorCode: ErrorCode };

const MAX_BYTES = 1_000_000;

/** The text of the file of that name; undefined when there is none. What is no plain file of UTF-8 text, or too long, is refused. */
export async function readNamed(files: NamedFiles, name: string): Promise<{ text: string; file: string } | undefined> {
  const file = join(files.folder, `${requireName(files, name)}${files.ending}`);
  const refuse = (reason: string) => new AppError(files.errorCode, `${file}:1: ${reason}`, { file });
  try {
    const found = await stat(file);
    if (!found.isFile()) throw refuse('not a plain file');
    if (found.size > MAX_BYTES) throw refuse(`longer than ${MAX_BYTES} bytes`);
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file)), file };
  } catch (error) {
    if (isAbsent(error)) return undefined;
    if (error instanceof TypeError) throw refuse('not UTF-8 text; save the file as UTF-8');
    throw fromSystemError(error, `reading ${file}`);
  }
}

/** The names of the files in the folder, sorted; what is named otherwise is not ours. */
export async function listNamed({ folder, ending }: NamedFiles): Promise<string[]> {
  const entries = await listIfThere(folder);
  return entries
    .filter((entry) => entry.endsWith(ending))
    .map((entry) => entry.slice(0, -ending.length))
    .filter((name) => FileName.safeParse(name).success)
    .sort();
}

/** The name, if it can be a file's: no path leads out of the folder. */
export function requireName({ errorCode }: Pick<NamedFiles, 'errorCode'>, name: string): string {
  const checked = FileName.safeParse(name);
  if (checked.success) return checked.data;
  const reason = checked.error.issues[0]?.message ?? 'not a name';
  throw new AppError(errorCode, `"${name.slice(0, 80)}" is no name: ${reason}`, { name });
}

async function listIfThere(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw fromSystemError(error, `listing ${folder}`);
  }
}
