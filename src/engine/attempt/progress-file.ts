import { appendFile, lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../errors.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { ActiveRun } from '../loop/context.ts';

/** How much of the end of the progress file a prompt contains. */
const PROMPT_CHARS = 4_000;

/** The end of the project's progress file; empty where there is none. */
export async function readProgress(run: ActiveRun): Promise<string> {
  const path = await progressFile(run);
  if (path === undefined) return '';
  const text = await readFile(path, 'utf8').catch(emptyIfMissing);
  return text.length <= PROMPT_CHARS ? text.trim() : `…${text.slice(-PROMPT_CHARS).trim()}`;
}

/** Adds a line for each task that landed, once, to the progress file in the user's checkout. */
export async function addProgress(run: ActiveRun, tasks: readonly TaskKey[], at: number): Promise<void> {
  const path = await progressFile(run);
  if (path === undefined) return;
  const text = await readFile(path, 'utf8').catch(emptyIfMissing);
  const lines = tasks.flatMap((key) => {
    const task = run.ledger.state.tasks[key];
    const mark = `(${run.id} ${key})`;
    if (task === undefined || text.includes(mark)) return [];
    const name = task.spec.name === undefined ? '' : `${task.spec.name}: `;
    return [`${new Date(at).toISOString()} ${name}${task.spec.title} ${mark}\n`];
  });
  if (lines.length === 0) return;
  await appendFile(path, `${text === '' || text.endsWith('\n') ? '' : '\n'}${lines.join('')}`);
}

/** The file, unless it is a link: its target may be outside the project. */
async function progressFile(run: ActiveRun): Promise<string | undefined> {
  const { config, project } = run.ledger.state.start;
  if (config.progress === undefined) return undefined;
  const path = join(project.root, config.progress);
  const kind = await lstat(path).catch(() => undefined);
  return kind === undefined || kind.isFile() ? path : undefined;
}

function emptyIfMissing(error: unknown): string {
  if (errorCode(error) === 'ENOENT') return '';
  throw error;
}
