import { readdir, realpath } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { errorCode } from '../../errors.ts';
import { isFolder } from '../path-kind.ts';
import { readPlainText } from '../plain-file.ts';
import { isOid, isRefName, readRefs } from '../refs/refs.ts';

/** The contents of an agent's git directory, read as plain files. */
export type AgentGit = {
  /** Its object folder. */
  objects: string;
  index: string;
  head: string | undefined;
  /** All its refs and states, by the name to store them under. */
  tips: Map<string, string>;
  /** All commits in its reflogs. */
  past: Set<string>;
};

const STATES = ['MERGE_HEAD', 'ORIG_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'REBASE_HEAD'];
const REBASE_STATES = ['rebase-merge/orig-head', 'rebase-merge/onto', 'rebase-apply/orig-head'];
const MAX_LOG_LINES = 10_000;

/**
 * Reads the git directory of a work tree without running git in it; undefined when there is none that may be read. No
 * link is followed: it could lead to the commits of any repository of the user.
 * A `.git` file counts only for a repository nested in `within`, and only if it points inside it.
 */
export async function readAgentGit(workTree: string, within?: string): Promise<AgentGit | undefined> {
  const gitDir = await findGitDir(workTree, within);
  if (gitDir === undefined) return undefined;
  const common = within === undefined ? gitDir : await findCommonDir(gitDir, within);
  if (common === undefined || !(await isFolder(join(common, 'objects')))) return undefined;
  const refs = await readRefs(common);
  const head = await readHead(gitDir, refs);
  const tips = new Map(head === undefined ? [] : [['HEAD', head]]);
  for (const [name, oid] of refs) tips.set(refNameFor(name, oid, refs), oid);
  await addStates(gitDir, tips);
  await addWorktreeHeads(common, refs, tips);
  return { objects: join(common, 'objects'), index: join(gitDir, 'index'), head, tips, past: await readLogs(common) };
}

async function findGitDir(workTree: string, within: string | undefined): Promise<string | undefined> {
  const dotGit = join(workTree, '.git');
  if (await isFolder(dotGit)) return dotGit;
  if (within === undefined) return undefined;
  const [, target] = /^gitdir: (.+?)\n?$/.exec(await readPlainText(dotGit, 4096)) ?? [];
  return target === undefined ? undefined : pathInside(resolve(workTree, target), within);
}

async function findCommonDir(gitDir: string, within: string): Promise<string | undefined> {
  const common = (await readPlainText(join(gitDir, 'commondir'), 4096)).trim();
  return common === '' ? gitDir : pathInside(resolve(gitDir, common), within);
}

/** The real path of something that an agent names, if that is inside a folder. */
export async function pathInside(path: string, within: string): Promise<string | undefined> {
  if (path.includes('\0')) return undefined;
  try {
    const [real, root] = await Promise.all([realpath(path), realpath(within)]);
    return real.startsWith(root + sep) ? real : undefined;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

async function readHead(gitDir: string, refs: ReadonlyMap<string, string>): Promise<string | undefined> {
  const text = (await readPlainText(join(gitDir, 'HEAD'), 4096)).trim();
  return isOid(text) ? text : refs.get(text.replace(/^ref:\s*/, ''));
}

function refNameFor(name: string, oid: string, refs: ReadonlyMap<string, string>): string {
  const parts = name.split('/');
  const isBlocked = parts.some((_, index) => index > 0 && refs.has(parts.slice(0, index).join('/')));
  return isRefName(name) && !isBlocked ? name : `odd/${oid}`;
}

async function addStates(gitDir: string, tips: Map<string, string>): Promise<void> {
  for (const name of [...STATES, ...REBASE_STATES]) {
    if (!(await isFolder(dirname(join(gitDir, name))))) continue;
    const oids = (await readPlainText(join(gitDir, name), 65_536)).split(/\s+/).filter(isOid);
    for (const [index, oid] of oids.entries()) tips.set(`state/${name}-${index}`, oid);
  }
}

async function addWorktreeHeads(common: string, refs: ReadonlyMap<string, string>, tips: Map<string, string>) {
  const folder = join(common, 'worktrees');
  // A folder that is missing, is a link or cannot be listed has no heads.
  const names = (await isFolder(folder)) ? await readdir(folder).catch((): string[] => []) : [];
  for (const [index, name] of names.entries()) {
    if (!(await isFolder(join(folder, name)))) continue;
    const head = await readHead(join(common, 'worktrees', name), refs);
    if (head !== undefined) tips.set(`worktrees/${index}`, head);
  }
}

async function readLogs(common: string): Promise<Set<string>> {
  const past = new Set<string>();
  const folder = join(common, 'logs');
  if (!(await isFolder(folder))) return past;
  // As above: logs that cannot be listed are ignored.
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const lines = (await readPlainText(join(entry.parentPath, entry.name))).split('\n');
    for (const line of lines.slice(-MAX_LOG_LINES)) {
      for (const oid of line.split(' ', 2)) if (isOid(oid) && !/^0+$/.test(oid)) past.add(oid);
    }
  }
  return past;
}
