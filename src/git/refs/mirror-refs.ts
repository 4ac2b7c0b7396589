import { AppError } from '../../errors.ts';
import { crashpoint } from '../../world.ts';
import { git } from '../git.ts';
import type { Mirror } from '../mirror/mirror-config.ts';
import { writeInLine } from './ref-queue.ts';
import { isOid, isRefName, readRefFile } from './refs.ts';

/** `expected` null means: the ref must not exist yet. */
export type RefChange = { ref: string; to: string; expected: string | null };

/** The commit that a person's word for it (branch, tag, id, `main~2`) means at the user's, if there is one. */
export async function resolve(mirror: Mirror, revision: string): Promise<string | undefined> {
  const [, name, suffix] = /^([^~^@:\n\0]+)([~^][~^0-9]*)?$/.exec(revision === '@' ? 'HEAD' : revision) ?? [];
  if (name === undefined) return undefined;
  const candidates = candidatesFor(name).map((candidate) => `${candidate}${suffix ?? ''}^{commit}`);
  const input = `${candidates.join('\n')}\n`;
  const { stdout } = await git(['cat-file', '--batch-check=%(objectname)'], { gitDir: mirror.dir, input });
  return stdout.split('\n').find(isOid);
}

/** Where one of the mirror's refs stands. */
export function readRef(mirror: Mirror, ref: string): Promise<string | undefined> {
  return readRefFile(mirror.dir, ref);
}

/** Moves a ref if it still stands where it was expected; false, and nothing moved, if it does not. */
export async function writeRef(mirror: Mirror, change: RefChange): Promise<boolean> {
  return writeRefs(mirror, [change]);
}

/** Moves several refs, all or none. */
export async function writeRefs(mirror: Mirror, changes: readonly RefChange[]): Promise<boolean> {
  const input = changes.map(instruction).join('');
  crashpoint('ref.writing');
  const result = await writeInLine(mirror, input);
  crashpoint('ref.written');
  if (result.code !== 0 && isLost(result.stderr)) return false;
  if (result.code !== 0)
    throw new AppError('GIT_FAILED', `Refs could not be written: ${result.stderr.trim()}`, { changes });
  return true;
}

function candidatesFor(name: string): string[] {
  if (isOid(name)) return [name];
  if (!isRefName(name)) return [];
  const places = ['refs/user/heads/', 'refs/user/tags/', 'refs/user/remotes/'].map((place) => `${place}${name}`);
  if (name === 'HEAD') return ['refs/user/HEAD'];
  if (name.startsWith('refs/manyhands/')) return [name];
  if (name.startsWith('refs/')) return [`refs/user/${name.slice('refs/'.length)}`];
  return /^[0-9a-f]{4,}$/.test(name) ? [...places, name] : places;
}

function instruction({ ref, to, expected }: RefChange): string {
  if (!ref.startsWith('refs/manyhands/') || !isRefName(ref) || !isOid(to)) {
    throw new AppError('INTERNAL', `${JSON.stringify(ref)} is not a ref of ours`, { ref, to });
  }
  return expected === null ? `create ${ref} ${to}\n` : `update ${ref} ${to} ${expected}\n`;
}

function isLost(stderr: string): boolean {
  return /but expected|reference already exists|unable to resolve reference|reference is missing/.test(stderr);
}
