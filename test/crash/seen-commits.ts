import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Scratch } from '../support/scratch.ts';

/** Every commit that a ref of the mirror or the HEAD of a workspace names now; none of them may ever be lost. */
export function seenCommits(scratch: Scratch): Set<string> {
  const mirrors = foldersIn(join(scratch.home, 'mirrors')).filter((path) => path.endsWith('.git'));
  const workspaces = foldersIn(join(scratch.home, 'workspaces')).map((path) => join(path, '.git'));
  return new Set([...mirrors.flatMap(refs), ...workspaces.flatMap(heads)]);
}

/** Runs git on a directory as a stranger would: it reads, and takes no locks. */
export function runGit(gitDir: string, args: readonly string[], input = ''): string {
  const env = { PATH: process.env.PATH, GIT_OPTIONAL_LOCKS: '0', GIT_CONFIG_NOSYSTEM: '1', HOME: '/nonexistent' };
  return execFileSync('git', ['--git-dir', gitDir, ...args], {
    env,
    encoding: 'utf8',
    input,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** The mirror of the scratch repository. */
export function mirrorOf(scratch: Scratch): string {
  const [mirror] = foldersIn(join(scratch.home, 'mirrors')).filter((path) => path.endsWith('.git'));
  if (mirror === undefined) throw new Error('There is no mirror yet');
  return mirror;
}

function refs(gitDir: string): string[] {
  return lines(
    attempt(() => runGit(gitDir, ['for-each-ref', '--format=%(objectname)', 'refs/manyhands', 'refs/user'])),
  );
}

function heads(gitDir: string): string[] {
  return lines(attempt(() => runGit(gitDir, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])));
}

/** A crash may leave a folder that is not a repository yet; then nothing was seen in it. */
function attempt(runQuery: () => string): string {
  try {
    return runQuery();
  } catch {
    return '';
  }
}

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

function foldersIn(path: string): string[] {
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(path, entry.name));
}
