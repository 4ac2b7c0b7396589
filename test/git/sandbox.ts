import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Mirror, openMirror } from '../../src/git/mirror/mirror.ts';
import { inspectRepository, type Repository } from '../../src/git/read/repository.ts';
import { type SaveWorkspace, saveWorkspace } from '../../src/git/save/save.ts';
import { createWorkspace } from '../../src/git/workspace/workspace.ts';

/** A user's repository with its mirror, and folders for workspaces, all in one temporary folder. */
export type Sandbox = { dir: string; user: string; repository: Repository; mirror: Mirror; base: string };

/** A temporary folder that is removed after the test. A hook of this file would apply to the first test file of a worker alone. */
export function folder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'mh-git-')));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Git as a person or an agent runs it, with an identity and no configuration of this machine. */
export function shell(cwd: string, ...args: string[]): string {
  return execFileSync('git', ['-c', 'protocol.file.allow=always', ...args], {
    cwd,
    env: {
      PATH: process.env.PATH,
      HOME: '/nonexistent',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'Ann',
      GIT_AUTHOR_EMAIL: 'ann@example.org',
      GIT_COMMITTER_NAME: 'Ann',
      GIT_COMMITTER_EMAIL: 'ann@example.org',
      GIT_EDITOR: 'true',
      LC_ALL: 'C',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  }).replace(/\n$/, '');
}

/** The same where a failure is what the test wants to see. */
export function tryShell(cwd: string, ...args: string[]): boolean {
  try {
    shell(cwd, ...args);
    return true;
  } catch {
    return false;
  }
}

/** Writes files below a folder. */
export function write(dir: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
}

/** Writes files and commits everything; returns the commit. */
export function commit(dir: string, files: Record<string, string>, message = 'Change'): string {
  write(dir, files);
  shell(dir, 'add', '-A');
  shell(dir, 'commit', '-q', '--allow-empty', '-m', message);
  return shell(dir, 'rev-parse', 'HEAD');
}

/** A new repository on branch main with these files in its first commit. */
export function userRepository(dir: string, files: Record<string, string> = FILES, ...init: string[]): string {
  mkdirSync(dir, { recursive: true });
  shell(dir, 'init', '-q', '-b', 'main', ...init);
  return commit(dir, files, 'Start');
}

/** A user's repository, looked at and mirrored. */
export async function sandbox(files: Record<string, string> = FILES, ...init: string[]): Promise<Sandbox> {
  const dir = folder();
  const user = join(dir, 'user');
  const base = userRepository(user, files, ...init);
  return { dir, user, base, ...(await mirrored(dir, user)) };
}

/** Looks at a repository and opens its mirror. */
export async function mirrored(dir: string, user: string): Promise<{ repository: Repository; mirror: Mirror }> {
  const repository = await inspectRepository(user);
  return { repository, mirror: await openMirror({ dir: join(dir, 'mirror'), repository }) };
}

/** A workspace at the base. */
export async function workspace(box: Sandbox, name = 'ws', exclude: readonly string[] = []): Promise<string> {
  const path = join(box.dir, name);
  await createWorkspace({ mirror: box.mirror, path, commit: box.base, branch: 'mh/r1/t1', exclude });
  return path;
}

let saves = 0;

/** Saves a workspace under a new ref. */
export function save(box: Sandbox, path: string, more: Partial<SaveWorkspace> = {}) {
  const ref = `refs/manyhands/attempts/a${++saves}/1`;
  return saveWorkspace({ mirror: box.mirror, path, ref, base: box.base, message: 'Work', exclude: [], ...more });
}

/** The files of a commit in the mirror, with their texts. */
export function filesOf(mirror: Mirror, revision: string): Record<string, string> {
  const listed = shell(mirror.dir, 'ls-tree', '-r', '-z', revision).split('\0').filter(Boolean);
  const files: Record<string, string> = {};
  for (const line of listed) {
    const [facts = '', path = ''] = line.split('\t');
    const [, type, oid = ''] = facts.split(' ');
    files[path] = type === 'blob' ? shell(mirror.dir, 'cat-file', 'blob', oid) : `${type} ${oid}`;
  }
  return files;
}

/** The commits in a revision's history, in the mirror. */
export function history(mirror: Mirror, ...revisions: string[]): string[] {
  return shell(mirror.dir, 'rev-list', ...revisions)
    .split('\n')
    .filter(Boolean);
}

const FILES = { 'a.txt': 'a\n', 'src/b.txt': 'b\n' };
