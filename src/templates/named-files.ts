import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, type ErrorCode, errorCode, fromSystemError, isAbsent } from '../errors.ts';
import { FileName } from '../schema/template.ts';

/** A folder of files that are called by name: where it is, how they end, and which row of the table their mistakes belong to. */
export type NamedFiles = { folder: string; ending: '.md' | '.yaml'; mistake: ErrorCode };

const MOST_BYTES = 1_000_000;

/** The text of the file of that name; undefined when there is none. What is no UTF-8 text, or too long, is refused. */
export async function readNamed(files: NamedFiles, name: string): Promise<{ text: string; file: string } | undefined> {
  const file = join(files.folder, `${requireName(files, name)}${files.ending}`);
  const bytes = await readIfThere(file);
  if (bytes === undefined) return undefined;
  if (bytes.length > MOST_BYTES)
    throw new AppError(files.mistake, `${file}:1: longer than ${MOST_BYTES} bytes`, { file });
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), file };
  } catch {
    // The only way to fail is the one that is told here.
    throw new AppError(files.mistake, `${file}:1: not UTF-8 text; save the file as UTF-8`, { file });
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
export function requireName({ mistake }: Pick<NamedFiles, 'mistake'>, name: string): string {
  const checked = FileName.safeParse(name);
  if (checked.success) return checked.data;
  const reason = checked.error.issues[0]?.message ?? 'not a name';
  throw new AppError(mistake, `"${name.slice(0, 80)}" is no name: ${reason}`, { name });
}

async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (isAbsent(error) || errorCode(error) === 'EISDIR') return undefined;
    throw fromSystemError(error, `reading ${file}`);
  }
}

async function listIfThere(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw fromSystemError(error, `listing ${folder}`);
  }
}
