import { rm } from 'node:fs/promises';
import { AppError } from '../errors.ts';
import { run } from '../process/run.ts';

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

function countLines(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1;
  return lines;
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
