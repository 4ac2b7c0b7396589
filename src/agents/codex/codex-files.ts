import { lstat, readdir, realpath, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../errors.ts';
import type { Assignment } from '../agent.ts';
import type { CodexFacts } from './codex-arguments.ts';
import { BEFORE_FILE } from './codex-reader.ts';
import { findRollout } from './codex-rollout.ts';
import { strictSchema } from './codex-schema.ts';

/** Collects the facts and writes the files that Codex needs before it starts. */
export async function prepareCodex(assignment: Assignment, home: string): Promise<Omit<CodexFacts, 'mcp'>> {
  const { workspace, folder, session, outputSchema } = assignment;
  if (session !== undefined) await noteRollout(folder, findRollout(home, session));
  const schemaFile = join(folder, 'codex-schema.json');
  if (outputSchema !== undefined) {
    await writeFile(schemaFile, JSON.stringify(strictSchema(outputSchema)), { mode: 0o600 });
  }
  return {
    roots: [...new Set([workspace, await realpath(workspace)])],
    isTrusted: await isTrusted(assignment),
    ...(outputSchema === undefined ? {} : { schemaFile }),
  };
}

/** Records the size of a thread's rollout before the attempt appends to it; only the first record counts. */
async function noteRollout(folder: string, rollout: string | undefined): Promise<void> {
  if (rollout === undefined) return;
  const { size } = await stat(rollout);
  try {
    await writeFile(join(folder, BEFORE_FILE), JSON.stringify({ rolloutBytes: size }), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

/** Codex obeys all of `.codex` or nothing, so one file that is not trusted makes it untrusted. */
async function isTrusted({ workspace, settings }: Assignment): Promise<boolean> {
  if (settings.trusted.length === 0) return false;
  const folder = join(workspace, '.codex');
  const kind = await lstat(folder).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (kind?.isDirectory() !== true) return false;
  const trusted = new Set(settings.trusted.map(({ path }) => join(workspace, path)));
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  return files.length > 0 && files.every((file) => trusted.has(file));
}
