import { realpathSync, statSync } from 'node:fs';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';

/** What detection may see of a folder: names, and the texts of plain, small files inside the project. */
export interface ProjectFiles {
  /** Relative to the top of the project; empty for the top itself. */
  readonly folder: string;
  /** The names in the folder, sorted. */
  readonly names: readonly string[];
  has(name: string): boolean;
  /** Whether a fresh clone has this lockfile too: many projects ignore theirs. */
  hasLockfile(name: string): boolean;
  /** Whether a program is installed on this machine. */
  hasProgram(name: string): boolean;
  /** The text of a file below the folder; undefined if there is none that can be trusted to be read. */
  read(path: string): Promise<string | undefined>;
  /** The same view of a folder below; undefined if there is none inside the project. */
  enter(folder: string): Promise<ProjectFiles | undefined>;
}

const MAX_BYTES = 1_000_000;
const MAX_NAMES = 10_000;

/** What detection knows besides the files: the lockfiles that git tracks, and which programs are installed. */
type Surroundings = { tracked: ReadonlySet<string>; hasProgram(name: string): boolean };

const UNKNOWN: Surroundings = { tracked: new Set(), hasProgram: () => true };

/** Opens a project for detection: links that lead out, devices, large files and what is no UTF-8 are as if absent. */
export async function openProject(root: string, surroundings: Surroundings = UNKNOWN): Promise<ProjectFiles> {
  return viewOf(await realpath(root), '', surroundings);
}

/** Whether there is a plain file of that name inside a folder. */
export function isFileInside(folder: string, path: string): boolean {
  try {
    const real = realpathSync(join(folder, path));
    return isBelow(realpathSync(folder), real) && statSync(real).isFile();
  } catch {
    // What cannot be reached is not there for us.
    return false;
  }
}

async function viewOf(top: string, folder: string, surroundings: Surroundings): Promise<ProjectFiles> {
  const names = (await readdir(join(top, folder))).slice(0, MAX_NAMES).sort();
  const known = new Set(names);
  return {
    folder,
    names,
    has: (name) => known.has(name),
    hasLockfile: (name) => known.has(name) && surroundings.tracked.has(join(folder, name)),
    hasProgram: surroundings.hasProgram,
    read: (path) => readInside(top, join(folder, path)),
    enter: async (below) => {
      const real = await realPathInside(top, join(folder, below));
      return real !== undefined && (await stat(real)).isDirectory()
        ? viewOf(top, join(folder, below), surroundings)
        : undefined;
    },
  };
}

async function readInside(top: string, path: string): Promise<string | undefined> {
  const real = await realPathInside(top, path);
  if (real === undefined) return undefined;
  const facts = await stat(real);
  if (!facts.isFile() || facts.size > MAX_BYTES) return undefined;
  return decode(await readFile(real));
}

async function realPathInside(top: string, path: string): Promise<string | undefined> {
  try {
    const real = await realpath(join(top, path));
    return isBelow(top, real) ? real : undefined;
  } catch {
    // A file that is missing or not readable says nothing about the project.
    return undefined;
  }
}

function isBelow(top: string, real: string): boolean {
  const inside = relative(top, real);
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // What is no text is no manifest.
    return undefined;
  }
}
