import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode, fromSystemError } from '../errors.ts';
import { realWorld, type World } from '../world.ts';
import { pathExists, requireInsideProject } from './project-path.ts';

/** Creates a missing file, whole or not at all; an existing file is kept unchanged. */
export async function createFile(
  root: string,
  { path, text }: { path: string; text: string },
  world: World = realWorld,
): Promise<'written' | 'kept'> {
  const file = await requireInsideProject(root, path);
  if (await pathExists(file)) return 'kept';
  try {
    await mkdir(dirname(file), { recursive: true });
    return await linkInto(file, text, join(dirname(file), `.init.${world.token()}.tmp`));
  } catch (error) {
    throw fromSystemError(error, `writing ${file}`);
  }
}

async function linkInto(file: string, text: string, temporary: string): Promise<'written' | 'kept'> {
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
