import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A repository in a temporary folder, removed when it is disposed of. */
export type Project = Disposable & { root: string; env: NodeJS.ProcessEnv; git(...args: string[]): string };

const IDENTITY = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org'];

/** Makes a repository with these files; with `commit: false` it has no commit yet. */
export function makeProject(files: Record<string, string>, options: { commit?: boolean } = {}): Project {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'mh-init-')));
  const root = join(home, 'project');
  const env = { PATH: process.env.PATH, HOME: home, MANYHANDS_HOME: join(home, 'data') };
  mkdirSync(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const git = (...args: string[]) =>
    execFileSync('git', [...IDENTITY, ...args], { cwd: root, env, encoding: 'utf8', stdio: 'pipe' }).trim();
  git('init', '--quiet', '--initial-branch=main');
  if (options.commit !== false) {
    git('add', '--all');
    git('commit', '--quiet', '--allow-empty', '--message=Start');
  }
  return { root, env, git, [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }) };
}
