import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../errors.ts';
import { otherEnd } from '../environment.ts';
import { git } from '../git.ts';
import type { Repository } from '../read/repository.ts';
import type { Mirror } from './mirror-config.ts';

const FETCH_TIMEOUT_MS = 1_800_000;
const FETCH = ['fetch', '--quiet', '--no-tags', '--no-auto-maintenance', '--no-write-fetch-head', '--refmap='];

/** The commits that the mirror does not have, or not with their trees. */
async function missingCommits(mirror: Mirror, commits: readonly string[]): Promise<string[]> {
  if (commits.length === 0) return [];
  const input = `${commits.map((commit) => `${commit}^{tree}`).join('\n')}\n`;
  const { stdout } = await git(['cat-file', '--batch-check'], { gitDir: mirror.dir, input });
  const lines = stdout.split('\n');
  return commits.filter((_, index) => !/ tree \d+$/.test(lines[index] ?? ''));
}

/**
 * Rebuilds lost objects of a mirror from the user's repository and from workspaces, which are only fetched from; returns
 * the commits that neither has.
 */
export async function recoverObjects(
  mirror: Mirror,
  from: { repository: Pick<Repository, 'root'>; workspaces: string; commits: readonly string[] },
): Promise<string[]> {
  let missing = await missingCommits(mirror, from.commits);
  if (missing.length === 0) return [];
  await refetch(mirror, from.repository.root, '+refs/heads/*:refs/user/heads/*');
  missing = await missingCommits(mirror, missing);
  for (const name of missing.length === 0 ? [] : await readdir(from.workspaces).catch((): string[] => [])) {
    const source = join(from.workspaces, name, '.git');
    await refetch(mirror, source, `+refs/*:refs/manyhands/recovered/${name}/*`);
  }
  return missingCommits(mirror, missing);
}

/** A source that cannot be read, such as a workspace that itself lost objects, has nothing to recover. */
async function refetch(mirror: Mirror, source: string, refspec: string): Promise<void> {
  const args = [...FETCH, '--refetch', '--upload-pack', otherEnd('upload-pack'), source, refspec];
  try {
    await git(args, { gitDir: mirror.dir, timeoutMs: FETCH_TIMEOUT_MS });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'GIT_FAILED') throw error;
  }
}
