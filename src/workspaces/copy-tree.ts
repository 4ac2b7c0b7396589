import { rm } from 'node:fs/promises';
import { AppError } from '../errors.ts';
import { run } from '../process/run.ts';

const COPY_TIMEOUT_MS = 1_800_000;

/** Copies a file or folder to a path that does not exist yet; blocks are shared where the file system supports it, inodes never. */
export async function copyTree(from: string, to: string, signal: AbortSignal): Promise<void> {
  const how = process.platform === 'darwin' ? ['-cRp'] : ['-a', '--reflink=auto', '-T'];
  await runTool(['cp', ...how, '--', from, to], `copying ${from}`, signal);
}

/** Removes a folder even if programs have left parts of it read-only. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    // Module caches are read-only on purpose; an error after this is thrown.
    await runTool(['chmod', '-R', 'u+rwX', '--', path], `removing ${path}`, new AbortController().signal);
    await rm(path, { recursive: true, force: true });
  }
}

async function runTool(command: readonly string[], doing: string, signal: AbortSignal): Promise<void> {
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C' };
  const result = await run(command, { env, timeoutMs: COPY_TIMEOUT_MS, signal });
  if (result.code === 0) return;
  const reason = result.timedOut ? 'it took too long' : result.stderr.trim().slice(0, 500);
  const isFull = /No space left on device|Disk quota exceeded/i.test(result.stderr);
  throw new AppError(isFull ? 'NO_SPACE' : 'INTERNAL', `Failed while ${doing}: ${reason}`);
}
