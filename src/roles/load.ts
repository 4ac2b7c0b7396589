import { constants, existsSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError, fromSystemError, isAbsent } from '../errors.ts';
import { nearest } from '../schema/nearest.ts';
import { parseRole, type Role } from './role.ts';

/** `userDir` is the folder of the user's own role files, usually `.manyhands/roles` of the repository. */
export interface RoleSources {
  userDir?: string;
}

const MAX_BYTES = 1_000_000;
const ROLE_FILE = /^([a-z][a-z0-9-]*)\.md$/;

/** The role of that name: the user's file if there is one, else the built-in. */
export async function loadRole(name: string, sources: RoleSources = {}): Promise<Role> {
  const { text, file } = await findRole(name, sources);
  return parseRole(text, { name, file });
}

/** The text of the role of that name. The user's own file must be valid; the built-in ones are. */
export async function roleText(name: string, sources: RoleSources = {}): Promise<string> {
  const { text, file } = await findRole(name, sources);
  if (dirname(file) === sources.userDir) parseRole(text, { name, file });
  return text;
}

async function findRole(name: string, sources: RoleSources): Promise<{ text: string; file: string }> {
  if (ROLE_FILE.test(`${name}.md`)) {
    for (const folder of foldersOf(sources)) {
      const file = join(folder, `${name}.md`);
      const text = await readIfThere(file);
      if (text !== undefined) return { text, file };
    }
  }
  throw unknownRole(name, await roleNames(sources));
}

/** Refuses a role that is not one of the known ones, and suggests the closest. */
export function requireRole(name: string, known: readonly string[]): void {
  if (!known.includes(name)) throw unknownRole(name, known);
}

function unknownRole(name: string, known: readonly string[]): AppError {
  const suggested = nearest(name, known);
  const suggestion = suggested === undefined ? '' : ` Did you mean ${suggested}?`;
  const message = `There is no role "${name}".${suggestion} Known roles: ${known.join(', ')}`;
  return new AppError('ROLE_UNKNOWN', message, { name, known });
}

/** All role names that can be loaded, sorted. */
export async function roleNames(sources: RoleSources = {}): Promise<string[]> {
  const files = await Promise.all(foldersOf(sources).map(listIfThere));
  const names = files.flat().flatMap((file) => ROLE_FILE.exec(file)?.[1] ?? []);
  return [...new Set(names)].sort();
}

function foldersOf({ userDir }: RoleSources): string[] {
  return userDir === undefined ? [rolesFolder()] : [userDir, rolesFolder()];
}

/** A repository can have a link to a device or a pipe in the place of a role. */
async function readIfThere(file: string): Promise<string | undefined> {
  try {
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = await handle.stat();
    if (!found.isFile() || found.size > MAX_BYTES)
      throw new AppError('ROLE_INVALID', `${file} is not an ordinary file of at most ${MAX_BYTES} bytes`, { file });
    return await handle.readFile('utf8');
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error instanceof AppError ? error : fromSystemError(error, `reading the role file ${file}`);
  }
}

async function listIfThere(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw fromSystemError(error, `listing the roles in ${folder}`);
  }
}

/** The folder of the built-in roles: beside this file in the source, in `roles/` beside the bundle once built. */
function rolesFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  return existsSync(join(here, 'plan.md')) ? here : join(here, 'roles');
}
