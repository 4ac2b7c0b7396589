import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { z } from 'zod';
import { fromSystemError, isAbsent } from '../errors.ts';
import type { World } from '../world.ts';

/** The parsed content of a file; undefined if it is missing or invalid, as after a disk failure. */
export async function readPrivate<S extends z.ZodType>(file: string, schema: S): Promise<z.output<S> | undefined> {
  try {
    const parsed = schema.safeParse(JSON.parse(await readFile(file, 'utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch (error) {
    if (isAbsent(error) || error instanceof SyntaxError) return undefined;
    throw fromSystemError(error, `reading ${file}`);
  }
}

/** Writes a file atomically, readable only by its owner from the start. */
export async function writePrivate(file: string, value: unknown, world: World): Promise<void> {
  const temporary = `${file}.${world.token()}`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(temporary, JSON.stringify(value), { mode: 0o600, flag: 'wx' });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw fromSystemError(error, `writing ${file}`);
  }
}
