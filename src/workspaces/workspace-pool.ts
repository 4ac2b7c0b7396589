import { open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { treeChanges } from '../git/read/tree-changes.ts';
import { dropPrivateIndex, privateIndexFile, readIndexState } from '../git/save/private-index.ts';
import {
  type CreateWorkspace,
  checkOutInto,
  createWorkspace,
  requireCreatable,
  writeWorkspaceGit,
} from '../git/workspace/workspace.ts';
import { removeLater } from '../process/remove-later.ts';
import { crashpoint, realWorld, type World } from '../world.ts';
import { TICK_MS } from './kept-dependencies.ts';
import { hashTree } from './seed-manifest.ts';

type Like = Pick<CreateWorkspace, 'mirror' | 'path' | 'commit' | 'lfsStorage'>;
/** A workspace as it was written: the hash shows whether anybody has changed it. */
type Prepared = Like & { hash: string };

/** How prepared workspaces are called: an engine that starts removes those of a killed one. */
const PREPARED = 'pool-';
/** A smaller workspace is created in a moment. */
const WORTH_FILES = 300;
/** The number of entries is in the header of an index: signature, version, entries. */
const HEADER_BYTES = 12;
const ATTRIBUTES = /(^|\/)\.gitattributes$/;

/**
 * Workspaces that are written ahead, before a task needs one. No program has run in them, each is used once, and
 * only if nobody has changed it: taking one renames it and writes its own git directory; another commit costs only the
 * files that differ.
 */
export class WorkspacePool implements AsyncDisposable {
  readonly #removing: string;
  readonly #ready: Prepared[] = [];
  readonly #closing = new AbortController();
  #preparing: Promise<void> = Promise.resolve();
  #requested: { like: Like; count: number } | undefined;

  /** What is not used goes to the folder `removing`. */
  constructor(removing: string) {
    this.#removing = removing;
  }

  /** The number of workspaces that can be taken. */
  get size(): number {
    return this.#ready.length;
  }

  /** Turns a prepared workspace into what `createWorkspace` would create; false where none can be used. */
  async take(options: CreateWorkspace): Promise<boolean> {
    const prepared = this.#find(options);
    if (prepared === undefined) return false;
    try {
      await requireCreatable(options);
      await adopt(prepared, options);
      return true;
    } catch {
      // It was changed, or cannot be used: a new one works, or shows the reason.
      await this.#remove(prepared);
      return false;
    }
  }

  /** Prepares workspaces like an existing one until `count` are ready, one after another and without being waited for; small ones are not worth it. */
  prepare(like: Like, count: number, world: World = realWorld): void {
    const isIdle = this.#requested === undefined;
    this.#requested = { like, count };
    if (isIdle) this.#preparing = this.#prepareRequested(world);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#preparing;
    for (const prepared of this.#ready.splice(0)) await this.#remove(prepared);
  }

  async #prepareRequested(world: World): Promise<void> {
    const { signal } = this.#closing;
    for (let requested = this.#requested; requested !== undefined && !signal.aborted; requested = this.#requested) {
      const { like, count } = requested;
      const path = join(dirname(like.path), `${PREPARED}${world.token()}`);
      try {
        if (this.#ready.length >= count || !(await isWorthIt(like))) break;
        await createWorkspace({ ...like, path, branch: 'prepared', signal }, world);
        crashpoint('pool.prepared');
        await world.sleep(TICK_MS, signal);
        this.#ready.push({ ...like, path, hash: await hashTree(path) });
      } catch {
        // A full disk, a cancelled run: the task that needs a workspace reports it.
        await this.#remove({ ...like, path });
        break;
      }
    }
    this.#requested = undefined;
  }

  /** One of the same commit, else one of another. */
  #find({ mirror, path, commit, lfsStorage }: CreateWorkspace): Prepared | undefined {
    const fits = (each: Prepared) =>
      each.mirror.dir === mirror.dir && dirname(each.path) === dirname(path) && each.lfsStorage === lfsStorage;
    const same = this.#ready.findIndex((each) => fits(each) && each.commit === commit);
    const index = same >= 0 ? same : this.#ready.findIndex(fits);
    return index < 0 ? undefined : this.#ready.splice(index, 1)[0];
  }

  async #remove({ mirror, path }: Like): Promise<void> {
    await removeLater(path, this.#removing);
    await dropPrivateIndex(mirror, path);
  }
}

/** Turns a prepared workspace into the requested one; like a new one, it appears at its path when it is complete. */
async function adopt(prepared: Prepared, options: CreateWorkspace): Promise<void> {
  const { mirror, path } = options;
  const [from, to] = [privateIndexFile(mirror, prepared.path), privateIndexFile(mirror, path)];
  if ((await hashTree(prepared.path)) !== prepared.hash) throw new Error('It was changed');
  crashpoint('pool.taking');
  await writeWorkspaceGit(options, prepared.path);
  if (prepared.commit !== options.commit) {
    // The private index has no submodules, so that git would leave their folders behind.
    if ((await readIndexState(mirror, prepared.path))?.gitlinks.length !== 0) throw new Error('It has submodules');
    // Git would leave the files as they are whose conversion alone has changed.
    const changes = await treeChanges(mirror, { from: prepared.commit, to: options.commit });
    if (changes.some(({ path: changed }) => ATTRIBUTES.test(changed))) throw new Error('It has other attributes');
    await checkOutInto(options, prepared.path, from);
  }
  await rename(from, to);
  await rename(`${from}.json`, `${to}.json`);
  crashpoint('pool.moving');
  await rename(prepared.path, path);
  crashpoint('pool.taken');
}

async function isWorthIt({ mirror, path }: Like): Promise<boolean> {
  const file = await open(privateIndexFile(mirror, path));
  try {
    const { buffer } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    return buffer.readUInt32BE(8) >= WORTH_FILES;
  } finally {
    await file.close();
  }
}
