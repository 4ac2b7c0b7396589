import { lstat, mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../errors.ts';
import { exists } from '../git/path-kind.ts';
import { isFolderInUse } from '../process/proc-stat.ts';
import { removeLater } from '../process/remove-later.ts';
import type { Config } from '../schema/config.ts';
import { crashpoint, type World } from '../world.ts';
import { copyTree } from './copy-tree.ts';
import { targetInside } from './inside.ts';
import { reportCopying, type Seed } from './seed.ts';
import { describePath, hashTree } from './seed-manifest.ts';
import type { PreparationObserver } from './setup.ts';

/** One entry of a seed as it was put into a checkout: what its root is like, and a hash of everything below it. */
type Stamp = { entry: string; root: string; below: string };

/** The dependencies in a checkout or workspace, with what proves that no program has changed them. */
type InstalledDependencies = { seed: string; stamps: Stamp[] };

/** Dependencies that are not in use, at the same paths below a folder of their own. */
type Kept = InstalledDependencies & { folder: string };

type Installing = {
  /** What a commit has at the path of a dependency is replaced, else kept. */
  replace: boolean;
  signal: AbortSignal;
  world: World;
  observer?: PreparationObserver | undefined;
};

/** A change within one tick of the file system's clock (at most 10 ms) would not change a file's times. */
export const TICK_MS = 10;

/**
 * The copied dependencies of ended checks and attempts of one run. Only they are reused, and only if nothing in them was
 * changed; every other file of a checkout or workspace is removed, and the next one is written from its commit.
 */
export class KeptDependencies implements AsyncDisposable {
  readonly #removing: string;
  readonly #most: number;
  readonly #kept: Kept[] = [];
  /** By the checkout or workspace that they are in. */
  readonly #installed = new Map<string, InstalledDependencies>();
  #isClosed = false;

  /** What is no longer used goes to the folder `removing`; at most `most` copies are kept between uses. */
  constructor(removing: string, most: number) {
    this.#removing = removing;
    this.#most = most;
  }

  /** Installs a seed into a checkout or workspace: moved from an earlier one if it is unchanged, else copied. Returns the installed entries. */
  async install(seed: Seed, checkout: string, { replace, signal, world, observer }: Installing): Promise<string[]> {
    const stamps: Stamp[] = [];
    observer?.step({ kind: 'dependencies', what: 'verifies the dependencies of an ended check or attempt' });
    const earlier = await this.#take(seed.key);
    let onCopied: ReturnType<typeof reportCopying> | undefined;
    try {
      for (const entry of seed.entries) {
        const target = await targetInside(checkout, entry);
        if (target === undefined) continue;
        if (await exists(target)) {
          if (!replace) continue;
          await this.#remove(target);
        }
        const known = earlier?.stamps.find((stamp) => stamp.entry === entry);
        const isMoved = known !== undefined && (await moveOnSameDisk(join(earlier?.folder ?? '', entry), target));
        if (!isMoved) {
          onCopied ??= reportCopying(observer, seed.size);
          await copyTree(join(seed.files, entry), target, signal, onCopied);
        }
        stamps.push({
          entry,
          root: await describePath(target),
          below: isMoved ? known.below : await hashBelow(target),
        });
      }
    } finally {
      if (earlier !== undefined) await this.#remove(earlier.folder);
    }
    await world.sleep(TICK_MS, signal);
    this.#installed.set(checkout, { seed: seed.key, stamps });
    return stamps.map(({ entry }) => entry);
  }

  /** Keeps the dependencies that were installed in a checkout or workspace whose programs have ended; the caller removes the rest of it. */
  async keep(checkout: string, world: World): Promise<void> {
    const installed = this.#installed.get(checkout);
    this.#installed.delete(checkout);
    if (installed === undefined || installed.stamps.length === 0) return;
    if (this.#isClosed || this.#kept.length >= this.#most) return;
    const folder = join(dirname(checkout), `kept-${world.token()}`);
    const stamps: Stamp[] = [];
    try {
      for (const stamp of installed.stamps) {
        const path = join(checkout, stamp.entry);
        if ((await describeIfExists(path)) !== stamp.root) continue;
        const kept = join(folder, stamp.entry);
        await move(path, kept);
        stamps.push({ ...stamp, root: await describePath(kept) });
      }
      crashpoint('dependencies.kept');
      this.#kept.push({ seed: installed.seed, folder, stamps });
    } catch {
      // A program may have made them unmovable; then the next one gets a copy.
      await this.#remove(folder);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const { folder } of this.#kept.splice(0)) await this.#remove(folder);
  }

  #remove(folder: string): Promise<void> {
    return removeLater(folder, this.#removing);
  }

  /** Taken before anything is awaited, so that two never share them; what was changed is left out. */
  async #take(seed: string): Promise<Kept | undefined> {
    const index = this.#kept.findIndex((kept) => kept.seed === seed);
    const [kept] = index < 0 ? [] : this.#kept.splice(index, 1);
    if (kept === undefined) return undefined;
    if (isFolderInUse(kept.folder) !== false) {
      await this.#remove(kept.folder);
      return undefined;
    }
    const stamps: Stamp[] = [];
    for (const stamp of kept.stamps) if (await isUnchanged(join(kept.folder, stamp.entry), stamp)) stamps.push(stamp);
    return { ...kept, stamps };
  }
}

/** Whether a seed that is copied can be reused. A container that was left running could still have it mounted, which no process list shows. */
export function isReusable({ entries, runInEach }: Seed, { docker }: Pick<Config['workspace'], 'docker'>): boolean {
  return entries.length > 0 && !runInEach && docker === undefined;
}

async function isUnchanged(path: string, { root, below }: Stamp): Promise<boolean> {
  return (await describeIfExists(path)) === root && (await hashBelow(path)) === below;
}

async function describeIfExists(path: string): Promise<string | undefined> {
  return (await exists(path)) ? describePath(path) : undefined;
}

/** A hash of everything in a folder; empty for a file, which its description covers. */
async function hashBelow(path: string): Promise<string> {
  return (await lstat(path)).isDirectory() ? hashTree(path) : '';
}

/** False where the two are on different file systems, as workspaces can be. */
async function moveOnSameDisk(from: string, to: string): Promise<boolean> {
  try {
    await move(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EXDEV') return false;
    throw error;
  }
}

async function move(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await rename(from, to);
}
