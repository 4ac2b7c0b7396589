import { rm } from 'node:fs/promises';
import { run } from './run.ts';

const TIMEOUT_MS = 600_000;

/** Removes a folder even if parts of it cannot be written or read: module caches are read-only, and the kernel makes a folder without any rights beside an overlay. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    // What cannot be changed either is thrown below, with the system's reason.
    const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C' };
    await run(['chmod', '-R', 'u+rwX', '--', path], { env, timeoutMs: TIMEOUT_MS });
    await rm(path, { recursive: true, force: true });
  }
}
