import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode, fromSystemError } from '../errors.ts';
import { realWorld, type World } from '../world.ts';
import { isTaken, requirePlace } from './project-path.ts';

/** Makes a file that is not there yet, whole or not at all; whatever stands there already is kept as it is. */
export async function createFile(
  root: string,
  { path, text }: { path: string; text: string },
  world: World = realWorld,
): Promise<'written' | 'kept'> {
  const file = await requirePlace(root, path);
  if (await isTaken(file)) return 'kept';
  try {
    await mkdir(dirname(file), { recursive: true });
    return await place(file, text, join(dirname(file), `.init.${world.token()}.tmp`));
  } catch (error) {
    throw fromSystemError(error, `writing ${file}`);
  }
}

async function place(file: string, text: string, temporary: string): Promise<'written' | 'kept'> {
  try {
    await writeFile(temporary, text, { flag: 'wx' });
    await link(temporary, file);
    return 'written';
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return 'kept';
    if (errorCode(error) !== 'EPERM' && errorCode(error) !== 'ENOTSUP') throw error;
    return await writePlainly(file, text);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** For file systems without hard links. */
async function writePlainly(file: string, text: string): Promise<'written' | 'kept'> {
  try {
    await writeFile(file, text, { flag: 'wx' });
    return 'written';
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return 'kept';
    throw error;
  }
}
