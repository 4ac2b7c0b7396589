import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError, fromSystemError, isAbsent } from '../errors.ts';
import { configHome } from '../home.ts';
import { refuseConfig } from './config-error.ts';

/** Whose settings: a person's for all projects, or those of one project. */
export type ConfigScope = 'global' | 'project';

/** The folders of settings; without a project only the global ones count. */
export type ConfigLocation = { dir?: string; env: NodeJS.ProcessEnv };

const MAX_BYTES = 1_000_000;

/** The file of a scope, whether it exists or not; undefined where there is no project. */
export function configFile(scope: ConfigScope, location: ConfigLocation): string | undefined {
  if (scope === 'global') return join(configHome(location.env), 'config.yaml');
  return location.dir === undefined ? undefined : join(location.dir, '.manyhands', 'config.yaml');
}

/** The text of a file of settings; undefined when there is none. What is no UTF-8 text is refused. */
export async function readConfigText(file: string): Promise<string | undefined> {
  const bytes = await readIfThere(file);
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // There is only one way to fail.
    return refuseConfig([{ file, ...firstBadByte(bytes), key: '', reason: 'not UTF-8 text; save the file as UTF-8' }]);
  }
}

/** The nearest folder above that is a repository. */
export async function findProjectRoot(from: string): Promise<string | undefined> {
  for (let dir = from; ; dir = dirname(dir)) {
    if (await exists(join(dir, '.git'))) return dir;
    if (dirname(dir) === dir) return undefined;
  }
}

/** A repository can have a link to a device or a pipe in the place of its file. */
async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = await handle.stat();
    if (found.isDirectory()) return refuseWhole(file, 'this is a folder; a file is expected');
    if (!found.isFile()) return refuseWhole(file, 'this is not an ordinary file');
    if (found.size > MAX_BYTES) return refuseWhole(file, `longer than ${MAX_BYTES} bytes`);
    return await handle.readFile();
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error instanceof AppError ? error : fromSystemError(error, `reading ${file}`);
  }
}

function refuseWhole(file: string, reason: string): never {
  return refuseConfig([{ file, line: 1, column: 1, key: '', reason }]);
}

function firstBadByte(bytes: Buffer): { line: number; column: number } {
  const good = bytes.toString('utf8').split('\uFFFD', 1)[0] ?? '';
  const lines = good.split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    // What cannot be seen cannot be read either; reading it reports why.
    return false;
  }
}
