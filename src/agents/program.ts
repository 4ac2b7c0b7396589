import { statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { AppError } from '../errors.ts';
import { isExecutableFile } from '../process/spawner/executable-file.ts';

/** Where programs are searched. */
export interface ProgramSearch {
  /** Relative paths begin here. */
  dir: string;
  /** The text of a PATH variable. */
  path: string;
}

/** A program's absolute path, or why there is none. */
export type FoundProgram = { found: string } | { missing: string };

/** Finds a program: a path as it is, a bare name on PATH first and then in the folder itself. */
export function findProgram(name: string, search: ProgramSearch): FoundProgram {
  const folders = search.path.split(delimiter).filter(isAbsolute);
  const candidates = name.includes('/')
    ? [resolve(search.dir, name)]
    : [...folders.map((folder) => join(folder, name)), join(search.dir, name)];
  const files = candidates.filter(isFile);
  const found = files.find(isExecutableFile);
  if (found !== undefined) return { found };
  if (files[0] !== undefined) return { missing: notExecutableText(files[0]) };
  return {
    missing: name.includes('/')
      ? `${resolve(search.dir, name)} does not exist`
      : `${name} is neither on PATH nor in ${search.dir}`,
  };
}

function notExecutableText(path: string): string {
  return `${path} is not executable; run: chmod +x '${path.replaceAll("'", "'\\''")}'`;
}

/** A bare name is searched only on PATH: a file of that name in the repository is not the user's program. */
export function findOnPath(command: string, search: ProgramSearch): FoundProgram {
  if (command.includes('/')) return findProgram(command, search);
  const folders = search.path.split(delimiter).filter(isAbsolute);
  const programs = folders.map((folder) => findProgram(join(folder, command), search));
  return programs.find((program) => 'found' in program) ?? { missing: `${command} is not on PATH` };
}

/** The program of an agent that is about to start. */
export function requireProgram(agent: string, program: FoundProgram): string {
  if ('found' in program) return program.found;
  throw new AppError('AGENT_MISSING', `Agent ${agent}: ${program.missing}`, { name: agent });
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    // There is none, or it is in a folder that this user may not enter.
    return false;
  }
}
