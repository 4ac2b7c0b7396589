import { mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode, fromSystemError } from '../errors.ts';
import { crashpoint, realWorld, type World } from '../world.ts';

/**
 * Replaces a file as a whole: after a crash it has the old text or the new one. A link stays a link. The mode is kept,
 * except that a private file and a folder created for it are made accessible to its owner only.
 */
export async function writeWhole(
  file: string,
  text: string,
  { isPrivate = false, world = realWorld }: { isPrivate?: boolean; world?: World } = {},
): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: isPrivate ? 0o700 : 0o777 });
    const target = await followLink(file);
    const temporary = join(dirname(target), `.config.${world.token()}.tmp`);
    await replace(target, temporary, { text, mode: isPrivate ? 0o600 : await modeOf(target) });
  } catch (error) {
    throw fromSystemError(error, `writing ${file}`);
  }
}

async function replace(
  target: string,
  temporary: string,
  { text, mode }: { text: string; mode: number },
): Promise<void> {
  crashpoint('config.writing');
  try {
    await writeSynced(temporary, text, mode);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(target));
  crashpoint('config.written');
}

async function writeSynced(file: string, text: string, mode: number): Promise<void> {
  const handle = await open(file, 'wx', mode);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function followLink(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return file;
    throw error;
  }
}

async function modeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).mode & 0o777;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0o644;
    throw error;
  }
}
