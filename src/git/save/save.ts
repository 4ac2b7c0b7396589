import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, fromSystemError } from '../../errors.ts';
import { crashpoint, realWorld, type World } from '../../world.ts';
import { git } from '../git.ts';
import { type Author, commitTree } from '../merge/commit.ts';
import { type Mirror, privateFolder, requireUnmodified } from '../mirror/mirror-config.ts';
import { isFolder } from '../path-kind.ts';
import { type CommitGraph, descends, treeOf } from '../read/commit-graph.ts';
import { type RefChange, writeRefs } from '../refs/mirror-refs.ts';
import { isOid } from '../refs/refs.ts';
import { readAgentGit } from '../workspace/agent-git.ts';
import { type ImportedCommits, importHistory } from './import-history.ts';
import { removePipes } from './pipes.ts';
import { type IndexState, readIndexState } from './private-index.ts';
import { saveTree } from './save-tree.ts';
import { requireCommitsWithin, requireFilesWithin, type WorkLimits } from './work-limits.ts';

export type SaveWorkspace = {
  mirror: Mirror;
  path: string;
  /** A new ref for the saved commit, such as refs/manyhands/attempts/<id>/1; other saved commits are below `<ref>-kept/`. */
  ref: string;
  /** The commit that the work started from. */
  base: string;
  message: string;
  /** Paths that we put into the workspace: no saved commit contains them. */
  exclude: readonly string[];
  /** For a merge that the agent resolved: the parents of the saved commit. */
  parents?: readonly string[];
  author?: Author;
  /** Larger work is refused before anything of it is read. */
  limits?: WorkLimits;
  listIgnored?: boolean;
  signal?: AbortSignal;
};

export type Saved = {
  commit: string;
  tree: string;
  /** The agent's HEAD. */
  head: string;
  /** Whether the tree differs from the base's. */
  changed: boolean;
  refs: string[];
  /** Folders that contain a repository, saved under their own refs. */
  nested: string[];
  /** What could not be saved; if not empty, the workspace must be kept. */
  problems: string[];
  /** The workspace's folder did not exist. */
  missing: boolean;
  ignored?: string[];
};

/** Saves everything in a workspace under refs of the mirror, whatever state the agent left it in. */
export async function saveWorkspace(options: SaveWorkspace, world: World = realWorld): Promise<Saved> {
  const { mirror, path, base } = options;
  if (!isOid(base)) throw new AppError('INTERNAL', `${base} is not a commit id`, { base });
  await requireUnmodified(mirror);
  const scratch = join(privateFolder(mirror), `taking-${world.token()}`);
  crashpoint('save.starting');
  try {
    await mkdir(scratch, { recursive: true, mode: 0o700 });
    const state = await readIndexState(mirror, path);
    const { saved, pending } = (await isFolder(path))
      ? await saveFolder({ ...options, scratch, state, now: world.now() })
      : { saved: await missingWorkspace(options, state), pending: [] };
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

type SaveContext = SaveWorkspace & { scratch: string; state: IndexState | undefined; now: number };

async function saveFolder(context: SaveContext): Promise<{ saved: Saved; pending: RefChange[] }> {
  const { mirror, base, ref } = context;
  await removePipes(context.path);
  if (context.limits !== undefined) await requireFilesWithin(context, context.limits);
  const baseTree = await baseTreeOf(context, context.state);
  const agent = await readAgentGit(context.path);
  const prefix = `${ref}-kept`;
  const known = [base, ...(context.state ? [context.state.commit] : []), ...(context.parents ?? [])];
  const imported: ImportedCommits = agent
    ? await importHistory({ ...context, agent, prefix, known, startTree: context.state?.tree ?? baseTree })
    : { refs: new Map(), pending: [], graph: new Map(), problems: [] };
  const head = agent?.head ?? base;
  const start = (await canBuildOn(context, head, imported)) ? head : base;
  if (context.limits !== undefined && start !== base)
    await requireCommitsWithin({ ...context, graph: imported.graph, head: start }, context.limits);
  const startTree = start === base ? baseTree : imported.graph.get(start)?.tree;
  const work = await saveTree({ ...context, start, prefix, ...(startTree ? { startTree } : {}) });
  const parents = chooseParents(context, start, imported.graph);
  const [only] = parents;
  const isNew = parents.length !== 1 || only !== start || work.tree !== startTree;
  crashpoint('save.committing');
  const commit = isNew ? await commitTree({ ...context, gitDir: mirror.dir, tree: work.tree, parents }) : start;
  crashpoint('save.committed');
  const saved: Saved = {
    commit,
    tree: work.tree,
    head,
    changed: work.tree !== baseTree,
    refs: [ref, ...imported.refs.keys(), ...work.refs],
    nested: work.nested,
    problems: [...imported.problems, ...work.problems],
    missing: false,
    ...(work.ignored ? { ignored: work.ignored } : {}),
  };
  return { saved, pending: imported.pending };
}

async function missingWorkspace(options: SaveWorkspace, state: IndexState | undefined): Promise<Saved> {
  const { base, ref } = options;
  const tree = await baseTreeOf(options, state);
  return { commit: base, tree, head: base, changed: false, refs: [ref], nested: [], problems: [], missing: true };
}

async function baseTreeOf({ mirror, base }: SaveWorkspace, state: IndexState | undefined): Promise<string> {
  if (state?.commit === base) return state.tree;
  return treeOf(mirror, base);
}

/** The agent's commits are kept in the history if they descend from the base and contain nothing that we put there. */
async function canBuildOn(
  { mirror, base, ref, exclude }: SaveContext,
  head: string,
  imported: ImportedCommits,
): Promise<boolean> {
  if (head === base) return true;
  if (imported.refs.get(`${ref}-kept/HEAD`) !== head || !descends(imported.graph, head, base)) return false;
  if (exclude.length === 0) return true;
  const args = ['rev-list', '--max-count=1', head, `^${base}`, '--', ...exclude];
  const found = await git(args, { gitDir: mirror.dir, env: { GIT_LITERAL_PATHSPECS: '1' } });
  return found.stdout.trim() === '';
}

function chooseParents({ parents, base }: SaveContext, start: string, graph: CommitGraph): readonly string[] {
  if (parents === undefined) return [start];
  const isMerged = start !== base && parents.every((parent) => descends(graph, start, parent));
  return isMerged ? [start] : parents;
}
