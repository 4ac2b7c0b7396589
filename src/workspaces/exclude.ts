import { appendFile, lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../errors.ts';

/** Tells the workspace's own git to ignore these paths, so that an agent's `git add -A` does not commit them. */
export async function excludePaths(workspace: string, paths: readonly string[]): Promise<void> {
  // A line break cannot be written in an exclude file; such a path is still left out when the work is saved.
  const lines = paths.filter((path) => !/[\n\r]/.test(path)).map((path) => `/${escapePattern(path)}\n`);
  if (lines.length === 0) return;
  const folder = join(workspace, '.git');
  if (!(await lstat(folder)).isDirectory())
    throw new AppError('WORKSPACE_CHANGED', `${folder} is not a folder any more`, { workspace });
  await mkdir(join(folder, 'info'), { recursive: true });
  await appendFile(join(folder, 'info', 'exclude'), `\n${lines.join('')}`);
}

function escapePattern(path: string): string {
  return path.replace(/[\\*?[\]!#]/g, '\\$&').replace(/ +$/, (spaces) => spaces.replaceAll(' ', '\\ '));
}
