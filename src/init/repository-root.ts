import { AppError } from '../errors.ts';
import { git } from '../git/git.ts';

/** The top of the repository around a folder, as git sees it; undefined where there is none. One without a commit counts. */
export async function repositoryRoot(dir: string): Promise<string | undefined> {
  const args = ['rev-parse', '--show-toplevel'];
  const { code, stdout, stderr } = await git(args, { cwd: dir, asUser: true, allow: [0, 128] });
  if (code === 0) return stdout.replace(/\n$/, '');
  if (/not a git repository/i.test(stderr)) return undefined;
  const reason = stderr.trim().split('\n', 1)[0] ?? '';
  throw new AppError('REPOSITORY_UNSUPPORTED', `${dir} cannot be set up: ${reason}`, { dir, reason });
}

/** Makes a folder a git repository, as the user's own git would, and gives its top. */
export async function makeRepository(dir: string): Promise<string> {
  await git(['init', '--quiet'], { cwd: dir, asUser: true });
  return dir;
}
