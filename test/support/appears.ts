import { existsSync, watch } from 'node:fs';
import { dirname } from 'node:path';

const LONGEST_MS = 60_000;

/** Resolves when the file exists; its folder must exist already. */
export async function appears(file: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const watcher = watch(dirname(file), () => existsSync(file) && resolve());
  const late = setTimeout(() => reject(new Error(`${file} does not exist after ${LONGEST_MS / 1_000} s`)), LONGEST_MS);
  if (existsSync(file)) resolve();
  try {
    await promise;
  } finally {
    clearTimeout(late);
    watcher.close();
  }
}
