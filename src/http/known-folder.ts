import { resolve } from 'node:path';
import { AppError } from '../errors.ts';
import type { Caller } from '../operations/caller.ts';

/** Viewers look at projects that have runs: the settings of any other folder would name programs that a look starts. */
export async function requireKnownFolder(caller: Caller, dir: unknown): Promise<void> {
  if (typeof dir !== 'string') return;
  const projects = await caller.call('list-projects', {});
  if (projects.some(({ root }) => root === resolve(dir))) return;
  throw new AppError('VIEWERS_ONLY_LOOK', `${dir} is no project with runs, and a viewer sees no other`, { dir });
}
