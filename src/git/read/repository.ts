import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { access, constants, realpath } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';
import { AppError, isAbsent } from '../../errors.ts';
import { type GitOptions, type GitResult, git } from '../git.ts';
import { isOid } from '../refs/refs.ts';
import { sha256 } from './sha256.ts';

/** The state of the user's repository when it was inspected. */
export type Repository = {
  /** Top level of the work tree. */
  root: string;
  gitDir: string;
  commonDir: string;
  /** Null when HEAD is detached. */
  branch: string | null;
  head: string;
  objectFormat: 'sha1' | 'sha256';
  shallow: boolean;
  lfs: boolean;
  sparse: boolean;
  submodules: string[];
};

/** Finds the repository that contains a folder: enough to name its project, also when it cannot be used. */
export async function locateRepository(dir: string, signal?: AbortSignal): Promise<Location> {
  const folder = requireFolder(dir);
  const plain = locatePlain(folder);
  if (plain !== undefined) return plain;
  const read = gitReader(folder, signal);
  return (await findDirectories(dir, await read(['rev-parse', ...FLAGS, ...PATHS], [0, 128]))).directories;
}

/** Inspects the repository that contains a folder without writing to it, and rejects unsupported ones with the reason. */
export async function inspectRepository(dir: string, signal?: AbortSignal): Promise<Repository> {
  const read = gitReader(requireFolder(dir), signal);
  const facts = await read(['rev-parse', ...FLAGS, ...PATHS, ...HEAD], [0, 1, 128]);
  const { directories, head } = await findDirectories(dir, facts);
  const [settings, submodules, lfs] = await Promise.all([
    read(['config', '--list', '--name-only', '-z']),
    listSubmodules(directories.root, read),
    read(['grep', '-I', '-q', 'filter=lfs', 'HEAD', '--', '.gitattributes', '**/.gitattributes'], [0, 1, 128]),
  ]);
  if (facts.code !== 0) throw new AppError('REPOSITORY_EMPTY', `${directories.root} has no commit yet`, { dir });
  const [commit = '', branch = 'HEAD'] = head;
  refusePartialClone(directories.root, settings.stdout.split('\0'));
  if (lfs.code === 0) await requireLfs(directories.root);
  return {
    ...directories,
    branch: branch === 'HEAD' ? null : branch.replace(/^refs\/heads\//, ''),
    head: commit,
    lfs: lfs.code === 0,
    sparse: await exists(join(directories.gitDir, 'info', 'sparse-checkout')),
    submodules,
  };
}

/** How the folder of a project ends that was added by its URL; before it is the id, the same on every machine. */
export const CLONE_SUFFIX = '.project';

/** A name for the project that is the same in every work tree and subfolder of the repository. */
export function projectId(repository: Pick<Repository, 'commonDir'>): string {
  const { commonDir } = repository;
  const folder = basename(commonDir) === '.git' ? basename(dirname(commonDir)) : basename(commonDir, '.git');
  const named = /^([A-Za-z0-9][A-Za-z0-9._-]*-[0-9a-f]{8})\.project$/.exec(folder)?.[1];
  if (named !== undefined && basename(dirname(dirname(commonDir))) === 'clones') return named;
  const name = folder.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[.-]+/, '') || 'project';
  return `${name.slice(0, 40)}-${sha256(commonDir).slice(0, 8)}`;
}

/** `hasConflict`: a merge of it is not resolved. */
export type UncommittedFile = { path: string; isTracked: boolean; hasConflict: boolean };

/** The files with changes that are in no commit, as the user's own git would list them; some settings can be overridden by environment variables. */
export async function uncommitted(
  repository: Pick<Repository, 'root'>,
  env: Record<string, string>,
  signal?: AbortSignal,
): Promise<UncommittedFile[]> {
  const args = ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all', '--ignore-submodules=dirty'];
  const options = { cwd: repository.root, asUser: true, env, ...(signal === undefined ? {} : { signal }) };
  const lines = names((await git(args, options)).stdout);
  return lines.map((line) => ({
    path: line.slice(3),
    isTracked: !line.startsWith('??'),
    hasConflict: /^(?:.U|U.|AA|DD)/.test(line),
  }));
}

/** The ignored files and folders in the work tree, folders with a slash at the end. */
export async function ignoredFiles(repository: Pick<Repository, 'root'>, signal?: AbortSignal): Promise<string[]> {
  const read = gitReader(repository.root, signal);
  return names((await read(['ls-files', '-o', '-i', '--exclude-standard', '--directory', '-z'])).stdout);
}

type ReadGit = (args: readonly string[], allow?: readonly number[]) => ReturnType<typeof git>;
export type Location = Pick<Repository, 'root' | 'commonDir'>;
type Directories = Pick<Repository, 'root' | 'gitDir' | 'commonDir' | 'objectFormat' | 'shallow'>;

function gitReader(cwd: string, signal: AbortSignal | undefined): ReadGit {
  const options: GitOptions = { cwd, asUser: true, ...(signal ? { signal } : {}) };
  return (args, allow = [0]) => git(args, { ...options, allow });
}

/** What git requires of the folder `.git`, and does not find in that of a linked work tree or of a submodule. */
const PARTS: Record<string, boolean> = { HEAD: true, objects: true, refs: true, commondir: false };
/** Settings with which the folder above `.git` may be no work tree, or others count; git then decides. */
const UNUSUAL_SETTING = /worktree|extensions|include|\bbare\b(?!\s*=\s*false\b)/i;

/**
 * The repository whose top folder this is, in its usual form: git starts as slowly as half a command. Read at once: a
 * few small files take less time than the threads that would read them meanwhile.
 */
function locatePlain(root: string): Location | undefined {
  const commonDir = join(root, '.git');
  try {
    const owners = [root, commonDir].map((path) => lstatSync(path));
    // Git refuses what another user owns.
    if (!owners.every((found) => found.isDirectory() && found.uid === process.getuid?.())) return undefined;
    for (const [name, isPresent] of Object.entries(PARTS))
      if (existsSync(join(commonDir, name)) !== isPresent) return undefined;
    return UNUSUAL_SETTING.test(readFileSync(join(commonDir, 'config'), 'utf8')) ? undefined : { root, commonDir };
  } catch {
    // Git decides what a file means that is missing or cannot be read.
    return undefined;
  }
}

function requireFolder(dir: string): string {
  try {
    return realpathSync.native(dir);
  } catch (error) {
    if (!isAbsent(error)) throw error;
    throw new AppError('NOT_A_REPOSITORY', `There is no folder ${dir}`, { dir }, { cause: error });
  }
}

const FLAGS = ['--is-bare-repository', '--is-inside-work-tree', '--show-object-format', '--is-shallow-repository'];
const PATHS = ['--path-format=absolute', '--show-toplevel', '--absolute-git-dir', '--git-common-dir'];
const HEAD = ['-q', 'HEAD^{commit}', '--symbolic-full-name', 'HEAD'];

/** What `rev-parse` said of the flags and paths; `head` is what it said of further arguments, which fail where there is no commit. */
async function findDirectories(dir: string, facts: GitResult): Promise<{ directories: Directories; head: string[] }> {
  const lines = facts.stdout.split('\n');
  const [bare, inside, format, shallow, root, gitDir, commonDir, ...rest] = lines;
  if (bare === 'true')
    throw unsupported(
      dir,
      'it is bare, and a run needs a work tree to land in: clone it, and run the command in the clone',
    );
  if (inside === 'false') throw unsupported(dir, 'the folder is inside .git and not in the work tree');
  if (facts.code !== 0 && !commonDir) throw noRepository(dir, facts.stderr);
  const head = rest.slice(0, -1);
  const isOfHead =
    facts.code === 0 ? head.every((line, index) => index === 1 || (index === 0 && isOid(line))) : !head[1];
  if (!root || !gitDir || !commonDir || !isOfHead) throw unsupported(dir, 'its path has a line break');
  const directories: Directories = {
    root: await realpath(root),
    gitDir: await realpath(gitDir),
    commonDir: await realpath(commonDir),
    objectFormat: format === 'sha256' ? 'sha256' : 'sha1',
    shallow: shallow === 'true',
  };
  return { directories, head };
}

function noRepository(dir: string, stderr: string): AppError {
  if (!stderr.includes('dubious ownership')) {
    return /not a git repository/i.test(stderr)
      ? new AppError('NOT_A_REPOSITORY', `${dir} is not inside a git repository`, { dir })
      : unsupported(dir, stderr.trim().split('\n').slice(0, 3).join(' '));
  }
  return unsupported(dir, 'another user owns it; if you trust it: git config --global --add safe.directory <path>');
}

async function listSubmodules(root: string, read: ReadGit): Promise<string[]> {
  const file = join(root, '.gitmodules');
  if (!(await exists(file))) return [];
  const found = await read(['config', '-z', '--file', file, '--get-regexp', '^submodule\\..*\\.path$'], [0, 1]);
  return names(found.stdout).map((line) => line.slice(line.indexOf('\n') + 1));
}

function refusePartialClone(root: string, keys: readonly string[]): void {
  const partialClone = /^(extensions\.partialclone|remote\..*\.(promisor|partialclonefilter))$/i;
  if (!keys.some((key) => partialClone.test(key))) return;
  throw unsupported(
    root,
    'it is a partial clone (created with --filter), so objects are missing: clone it without --filter',
  );
}

async function requireLfs(root: string): Promise<void> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    if (folder !== '' && (await exists(join(folder, 'git-lfs'), constants.X_OK))) return;
  }
  throw unsupported(root, 'it keeps files in Git LFS and git-lfs is not installed');
}

function unsupported(dir: string, reason: string): AppError {
  return new AppError('REPOSITORY_UNSUPPORTED', `${dir} cannot be used: ${reason}`, { dir, reason });
}

async function exists(file: string, mode = constants.F_OK): Promise<boolean> {
  return access(file, mode).then(
    () => true,
    // An inaccessible file counts as missing.
    () => false,
  );
}

function names(output: string): string[] {
  return output.split('\0').filter((name) => name !== '');
}
