import { AppError } from '../../errors.ts';
import { crashpoint } from '../../world.ts';
import { git } from '../git.ts';
import type { Mirror } from '../mirror/mirror-config.ts';
import { enqueueRefUpdate } from './ref-queue.ts';
import { isOid, isRefName, readRefFile } from './refs.ts';

/** `expected` null means: the ref must not exist yet. */
export type RefChange = { ref: string; to: string; expected: string | null };

/** The commit that a revision (branch, tag, id, `main~2`) of the user's repository names, if there is one. */
export async function resolve(mirror: Mirror, revision: string): Promise<string | undefined> {
  const [, name, suffix] = /^([^~^@:\n\0]+)([~^][~^0-9]*)?$/.exec(revision === '@' ? 'HEAD' : revision) ?? [];
  if (name === undefined) return undefined;
  const candidates = candidatesFor(name).map((candidate) => `${candidate}${suffix ?? ''}^{commit}`);
  const input = `${candidates.join('\n')}\n`;
  const { stdout } = await git(['cat-file', '--batch-check=%(objectname)'], { gitDir: mirror.dir, input });
  return stdout.split('\n').find(isOid);
}

/** The commit of one of the mirror's refs. */
export function readRef(mirror: Mirror, ref: string): Promise<string | undefined> {
  return readRefFile(mirror.dir, ref);
}

/** Updates a ref if it is at the expected commit; otherwise returns false and changes nothing. */
export async function writeRef(mirror: Mirror, change: RefChange): Promise<boolean> {
  return writeRefs(mirror, [change]);
}

/** Updates several refs, all or none. */
export async function writeRefs(mirror: Mirror, changes: readonly RefChange[]): Promise<boolean> {
  const input = changes.map(instruction).join('');
  crashpoint('ref.writing');
  const result = await enqueueRefUpdate(mirror, input);
  crashpoint('ref.written');
  if (result.code !== 0 && isStale(result.stderr)) return false;
  if (result.code !== 0)
    throw new AppError('GIT_FAILED', `Refs could not be written: ${result.stderr.trim()}`, { changes });
  return true;
}

function candidatesFor(name: string): string[] {
  if (isOid(name)) return [name];
  if (!isRefName(name)) return [];
  const names = ['refs/user/heads/', 'refs/user/tags/', 'refs/user/remotes/'].map((prefix) => `${prefix}${name}`);
  if (name === 'HEAD') return ['refs/user/HEAD'];
  if (name.startsWith('refs/manyhands/')) return [name];
  if (name.startsWith('refs/')) return [`refs/user/${name.slice('refs/'.length)}`];
  return /^[0-9a-f]{4,}$/.test(name) ? [...names, name] : names;
}

function instruction({ ref, to, expected }: RefChange): string {
  if (!ref.startsWith('refs/manyhands/') || !isRefName(ref) || !isOid(to)) {
    throw new AppError('INTERNAL', `${JSON.stringify(ref)} is not one of our refs`, { ref, to });
  }
  return expected === null ? `create ${ref} ${to}\n` : `update ${ref} ${to} ${expected}\n`;
}

function isStale(stderr: string): boolean {
  return /but expected|reference already exists|unable to resolve reference|reference is missing/.test(stderr);
}
