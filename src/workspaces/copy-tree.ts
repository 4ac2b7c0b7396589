import { constants, copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, errorCode, messageOf } from '../errors.ts';
import { run } from '../process/run.ts';
import { realWorld } from '../world.ts';

const COPY_TIMEOUT_MS = 1_800_000;
const NEWLINE = 0x0a;

/** Copies a file or folder to a path that does not exist yet; blocks are shared where the file system supports it, inodes never. `onCopied` receives how many more entries were copied. */
export async function copyTree(
  from: string,
  to: string,
  signal: AbortSignal,
  onCopied: (entries: number) => void = () => {},
): Promise<void> {
  const how = process.platform === 'darwin' ? ['-cRpv'] : ['-av', '--reflink=auto', '-T'];
  // With -v, cp prints a line for each file and folder.
  const count = (chunk: Buffer) => onCopied(countLines(chunk));
  await runTool(['cp', ...how, '--', from, to], `copying ${from}`, signal, count);
}

/** Why files of one folder cannot share their blocks with copies in another, if they cannot. */
export async function blockSharingProblem(from: string, to: string): Promise<string | undefined> {
  const name = `trial-${realWorld.token()}`;
  const [original, copy] = [join(from, name), join(to, `${name}.copy`)];
  try {
    for (const folder of [from, to]) await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(original, name);
    await copyFile(original, copy, constants.COPYFILE_FICLONE_FORCE);
    return undefined;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EXDEV') return 'the two folders are on different file systems';
    return `the file system does not support it (${code ?? messageOf(error)})`;
  } finally {
    for (const file of [original, copy]) await rm(file, { force: true });
  }
}

function countLines(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1;
  return lines;
}

/** The names in a folder; none if it does not exist. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

async function runTool(
  command: readonly string[],
  doing: string,
  signal: AbortSignal,
  onStdout: (chunk: Buffer) => void = () => {},
): Promise<void> {
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C' };
  const result = await run(command, { env, timeoutMs: COPY_TIMEOUT_MS, maxOutputBytes: 0, signal, onStdout });
  if (result.code === 0) return;
  const reason = result.timedOut ? 'it took too long' : result.stderr.trim().slice(0, 500);
  const isFull = /No space left on device|Disk quota exceeded/i.test(result.stderr);
  throw new AppError(isFull ? 'NO_SPACE' : 'INTERNAL', `Failed while ${doing}: ${reason}`);
}
