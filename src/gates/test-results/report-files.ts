import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Where a check keeps installed or compiled files, which are no reports. */
const SKIPPED = new Set(['.git', 'node_modules', '.venv', 'venv', 'vendor', 'deps', 'obj']);
const MOST_DEPTH = 6;
const MOST_FOLDERS = 5_000;
const MOST_FILES = 500;
const MOST_BYTES = 16 * 1024 * 1024;
/** File systems keep times a few milliseconds behind the clock. */
const CLOCK_LAG_MS = 10;

/** The JUnit XML files that a check wrote into its checkout after it started. */
export async function findReportFiles(checkout: string, startedAt: number): Promise<string[]> {
  const texts: string[] = [];
  let folders = [checkout];
  let visited = 0;
  for (let depth = 0; depth <= MOST_DEPTH && folders.length > 0; depth += 1) {
    const next: string[] = [];
    for (const folder of folders) {
      visited += 1;
      if (visited > MOST_FOLDERS || texts.length >= MOST_FILES) return texts;
      for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
        const path = join(folder, entry.name);
        if (entry.isDirectory() && !SKIPPED.has(entry.name)) next.push(path);
        const text = entry.isFile() && /\.xml$/i.test(entry.name) ? await readNew(path, startedAt) : undefined;
        if (text !== undefined && /<testsuites?[\s>]/.test(text)) texts.push(text);
      }
    }
    folders = next;
  }
  return texts;
}

async function readNew(path: string, startedAt: number): Promise<string | undefined> {
  try {
    const { mtimeMs, size } = await stat(path);
    return mtimeMs < startedAt - CLOCK_LAG_MS || size > MOST_BYTES ? undefined : await readFile(path, 'utf8');
  } catch {
    // A process that the check left behind may have removed it.
    return undefined;
  }
}
