import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from '../git.ts';
import { commitTree } from '../merge/commit.ts';
import type { Mirror } from '../mirror/mirror-config.ts';
import { writeRefs } from '../refs/mirror-refs.ts';
import { readAgentGit } from '../workspace/agent-git.ts';
import { addAll } from './add-all.ts';
import { importHistory } from './import-history.ts';

export type SaveNested = {
  mirror: Mirror;
  /** The workspace, which must contain the nested repository's git directory. */
  path: string;
  /** The nested repository's folder in it. */
  folder: string;
  number: number;
  prefix: string;
  scratch: string;
  now: number;
  signal?: AbortSignal;
};

/** `head` is its commit, if that was imported. */
export type NestedSave = { folder: string; head?: string; refs: string[]; problems: string[] };

const DEEPEST = 8;

/** Saves a repository that an agent created inside its workspace: its history and its files, under their own refs. */
export async function saveNested(options: SaveNested, depth = 1): Promise<NestedSave> {
  const { mirror, folder, now } = options;
  if (depth > DEEPEST) return { folder, refs: [], problems: [`${folder} is nested too deeply to be saved`] };
  const scratch = join(options.scratch, `nested-${options.number}`);
  await mkdir(scratch, { recursive: true });
  const prefix = `${options.prefix}/nested/${options.number}`;
  const workTree = join(options.path, folder);
  const agent = await readAgentGit(workTree, options.path);
  const imported = agent && (await importHistory({ ...options, agent, scratch, prefix: `${prefix}/git`, known: [] }));
  const indexFile = join(scratch, 'index');
  await git(['read-tree', '--empty'], { gitDir: mirror.dir, indexFile });
  const added = await addAll({ ...options, workTree, indexFile, exclude: [] });
  const inner = await Promise.all(
    added.nested.map((name, number) =>
      saveNested({ ...options, folder: join(folder, name), number, prefix, scratch }, depth + 1),
    ),
  );
  const tree = (await git(['write-tree'], { gitDir: mirror.dir, indexFile })).stdout.trim();
  const head = imported?.refs.get(`${prefix}/git/HEAD`);
  const parents = head === undefined ? [] : [head];
  const commit = await commitTree({ gitDir: mirror.dir, tree, parents, message: `Files of ${folder}`, now });
  await writeRefs(mirror, [{ ref: `${prefix}/files`, to: commit, expected: null }, ...(imported?.pending ?? [])]);
  return {
    folder,
    ...(head === undefined ? {} : { head }),
    refs: [`${prefix}/files`, ...(imported?.refs.keys() ?? []), ...inner.flatMap((one) => one.refs)],
    problems: [...(imported?.problems ?? []), ...inner.flatMap((one) => one.problems), ...added.problems],
  };
}
