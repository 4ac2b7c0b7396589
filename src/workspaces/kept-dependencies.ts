import { lstat, mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { exists } from '../git/path-kind.ts';
import { isFolderInUse } from '../process/proc-stat.ts';
import { removeLater } from '../process/remove-later.ts';
import { crashpoint, type World } from '../world.ts';
import { copyTree } from './copy-tree.ts';
import { targetInside } from './inside.ts';
import { reportCopying, type Seed } from './seed.ts';
import { describePath, hashTree } from './seed-manifest.ts';
import type { PreparationObserver } from './setup.ts';

/** One entry of a seed as it was put into a checkout: what its root is like, and a hash of everything below it. */
type Stamp = { entry: string; root: string; below: string };

/** The dependencies in a checkout, with what proves that no check has changed them. */
export type InstalledDependencies = { seed: string; stamps: Stamp[] };

/** Dependencies between two checks, at the same paths below a folder of their own. */
type Kept = InstalledDependencies & { folder: string };

/** More than this only use disk space. */
const MOST_KEPT = 2;
/** A change within one tick of the file system's clock (at most 10 ms) would not change a file's times. */
const TICK_MS = 10;

/**
 * The dependencies of ended checks of one run. Only they are reused, and only if nothing in them was changed; every
 * other file of a checkout is removed, and the next checkout is written from its commit.
 */
export class KeptDependencies implements AsyncDisposable {
  readonly #removing: string;
  readonly #kept: Kept[] = [];
  #isClosed = false;

  /** What is no longer used goes to the folder `removing`. */
  constructor(removing: string) {
    this.#removing = removing;
  }

  /** Installs a seed into a checkout: moved from an earlier check if it is unchanged, else copied. */
  async install(
    seed: Seed,
    checkout: string,
    { signal, world, observer }: { signal: AbortSignal; world: World; observer?: PreparationObserver | undefined },
  ): Promise<InstalledDependencies> {
    const stamps: Stamp[] = [];
    observer?.step({ kind: 'dependencies', what: 'verifies the dependencies of the last check' });
    const earlier = await this.#take(seed.key);
    let onCopied: ReturnType<typeof reportCopying> | undefined;
    try {
      for (const entry of seed.entries) {
        const target = await targetInside(checkout, entry);
        if (target === undefined) continue;
        if (await exists(target)) await this.#remove(target);
        const known = earlier?.stamps.find((stamp) => stamp.entry === entry);
        if (earlier !== undefined && known !== undefined) await move(join(earlier.folder, known.entry), target);
        else {
          onCopied ??= reportCopying(observer, seed.size);
          await copyTree(join(seed.files, entry), target, signal, onCopied);
        }
        stamps.push({ entry, root: await describePath(target), below: known?.below ?? (await hashBelow(target)) });
      }
    } finally {
      if (earlier !== undefined) await this.#remove(earlier.folder);
    }
    await world.sleep(TICK_MS, signal);
    return { seed: seed.key, stamps };
  }

  /** Keeps the dependencies of a checkout whose check has ended; the caller removes the rest of it. */
  async keep(checkout: string, installed: InstalledDependencies, world: World): Promise<void> {
    if (this.#isClosed || installed.stamps.length === 0 || this.#kept.length >= MOST_KEPT) return;
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
      // A check may have made them unmovable; then the next check gets a copy.
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

  /** Taken before anything is awaited, so that two checks never share them; what was changed is left out. */
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

async function move(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await rename(from, to);
}
