import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, fromSystemError } from '../../errors.ts';
import { crashpoint, realWorld, type World } from '../../world.ts';
import { git } from '../git.ts';
import { type Author, commitTree } from '../merge/commit.ts';
import { type Mirror, privateFolder, requireUntouched } from '../mirror/mirror-config.ts';
import { isFolder } from '../path-kind.ts';
import { type CommitGraph, descends } from '../read/commit-graph.ts';
import { treeOf } from '../read/diff.ts';
import { type RefChange, writeRefs } from '../refs/mirror-refs.ts';
import { isOid } from '../refs/refs.ts';
import { readAgentGit } from '../workspace/agent-git.ts';
import { importHistory, type Taken } from './import-history.ts';
import { type IndexState, privateIndexFile, readIndexState } from './private-index.ts';
import { saveTree } from './save-tree.ts';

export type SaveWorkspace = {
  mirror: Mirror;
  path: string;
  /** A new ref for the saved commit, such as refs/manyhands/attempts/<id>/1; what else is kept stands below `<ref>-kept/`. */
  ref: string;
  /** The commit that the work began from. */
  base: string;
  message: string;
  /** Paths that we put into the workspace: no saved commit holds them. */
  exclude: readonly string[];
  /** For a merge that the agent resolved: the parents of the saved commit. */
  parents?: readonly string[];
  author?: Author;
  listIgnored?: boolean;
  signal?: AbortSignal;
};

export type Saved = {
  commit: string;
  tree: string;
  /** Where the agent's HEAD was. */
  head: string;
  /** Whether the tree differs from the base's. */
  changed: boolean;
  refs: string[];
  /** Folders with a repository of their own; saved under refs of their own. */
  nested: string[];
  /** What could not be saved: as long as there is any, the workspace must be kept. */
  problems: string[];
  /** The workspace's folder was gone. */
  missing: boolean;
  ignored?: string[];
};

/** Saves everything that an agent left in a workspace under refs of the mirror, whatever state it left it in. */
export async function saveWorkspace(options: SaveWorkspace, world: World = realWorld): Promise<Saved> {
  const { mirror, path, base } = options;
  if (!isOid(base)) throw new AppError('INTERNAL', `Work begins from a commit, not from ${base}`, { base });
  await requireUntouched(mirror);
  const scratch = join(privateFolder(mirror), `taking-${world.token()}`);
  crashpoint('save.starting');
  try {
    await mkdir(scratch, { recursive: true, mode: 0o700 });
    const state = await readIndexState(privateIndexFile(mirror, path));
    const { saved, pending } = (await isFolder(path))
      ? await saveFolder({ ...options, scratch, state, now: world.now() })
      : { saved: await nothingLeft(options, state), pending: [] };
    if (!(await writeRefs(mirror, [{ ref: options.ref, to: saved.commit, expected: null }, ...pending]))) {
      throw new AppError('CONFLICT', `${options.ref} holds an earlier save`, { ref: options.ref });
    }
    crashpoint('save.done');
    return saved;
  } catch (error) {
    throw fromSystemError(error, `saving the workspace ${path}`);
  } finally {
    await rm(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  }
}

type Saving = SaveWorkspace & { scratch: string; state: IndexState | undefined; now: number };

async function saveFolder(saving: Saving): Promise<{ saved: Saved; pending: RefChange[] }> {
  const { mirror, base, ref } = saving;
  const baseTree = await baseTreeOf(saving, saving.state);
  const agent = await readAgentGit(saving.path);
  const prefix = `${ref}-kept`;
  const known = [base, ...(saving.state ? [saving.state.commit] : []), ...(saving.parents ?? [])];
  const taken: Taken = agent
    ? await importHistory({ ...saving, agent, prefix, known, startTree: saving.state?.tree ?? baseTree })
    : { refs: new Map(), pending: [], graph: new Map(), problems: [] };
  const head = agent?.head ?? base;
  const start = (await canBuildOn(saving, head, taken)) ? head : base;
  const startTree = start === base ? baseTree : taken.graph.get(start)?.tree;
  const work = await saveTree({ ...saving, start, prefix, ...(startTree ? { startTree } : {}) });
  const parents = chooseParents(saving, start, taken.graph);
  const [only] = parents;
  const isNew = parents.length !== 1 || only !== start || work.tree !== startTree;
  crashpoint('save.committing');
  const commit = isNew ? await commitTree({ ...saving, gitDir: mirror.dir, tree: work.tree, parents }) : start;
  crashpoint('save.committed');
  const saved: Saved = {
    commit,
    tree: work.tree,
    head,
    changed: work.tree !== baseTree,
    refs: [ref, ...taken.refs.keys(), ...work.refs],
    nested: work.nested,
    problems: [...taken.problems, ...work.problems],
    missing: false,
    ...(work.ignored ? { ignored: work.ignored } : {}),
  };
  return { saved, pending: taken.pending };
}

async function nothingLeft(options: SaveWorkspace, state: IndexState | undefined): Promise<Saved> {
  const { base, ref } = options;
  const tree = await baseTreeOf(options, state);
  return { commit: base, tree, head: base, changed: false, refs: [ref], nested: [], problems: [], missing: true };
}

async function baseTreeOf({ mirror, base }: SaveWorkspace, state: IndexState | undefined): Promise<string> {
  if (state?.commit === base) return state.tree;
  return treeOf(mirror, base);
}

/** The agent's commits stay in the history if they go on from the base and hold nothing that we put there ourselves. */
async function canBuildOn({ mirror, base, ref, exclude }: Saving, head: string, taken: Taken): Promise<boolean> {
  if (head === base) return true;
  if (taken.refs.get(`${ref}-kept/HEAD`) !== head || !descends(taken.graph, head, base)) return false;
  if (exclude.length === 0) return true;
  const args = ['rev-list', '--max-count=1', head, `^${base}`, '--', ...exclude];
  const found = await git(args, { gitDir: mirror.dir, env: { GIT_LITERAL_PATHSPECS: '1' } });
  return found.stdout.trim() === '';
}

function chooseParents({ parents, base }: Saving, start: string, graph: CommitGraph): readonly string[] {
  if (parents === undefined) return [start];
  const isMerged = start !== base && parents.every((parent) => descends(graph, start, parent));
  return isMerged ? [start] : parents;
}
