import { type GitResult, git } from '../git.ts';
import { clearStaleLocks } from '../mirror/locks.ts';
import type { Mirror } from '../mirror/mirror-config.ts';

type Waiting = { input: string; resolve: (result: GitResult) => void; reject: (error: unknown) => void };

/** Who waits to write refs, by mirror; there is a line only while somebody writes. */
const lines = new Map<string, Waiting[]>();

/**
 * Gives instructions to `update-ref`, all or none of them. Who comes while others write waits, and all who waited are
 * written by one git: a process each would cost more than the writing. If that is refused, each is tried by itself.
 */
export function writeInLine(mirror: Mirror, input: string): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const waiting = { input, resolve, reject };
    const line = lines.get(mirror.dir);
    if (line !== undefined) line.push(waiting);
    else void serve(mirror, [waiting]);
  });
}

async function serve(mirror: Mirror, first: Waiting[]): Promise<void> {
  for (let group = first; group.length > 0; group = lines.get(mirror.dir) ?? []) {
    lines.set(mirror.dir, []);
    await writeTogether(mirror, group);
  }
  lines.delete(mirror.dir);
}

async function writeTogether(mirror: Mirror, group: readonly Waiting[]): Promise<void> {
  const [only, another] = group;
  if (only === undefined) return;
  if (another === undefined) return updateRefs(mirror, only.input).then(only.resolve, only.reject);
  const joint = await updateRefs(mirror, group.map(({ input }) => input).join('')).catch(() => undefined);
  // Why it was refused is found out below, by whom it concerns.
  if (joint?.code === 0) for (const { resolve } of group) resolve(joint);
  else for (const { input, resolve, reject } of group) await updateRefs(mirror, input).then(resolve, reject);
}

async function updateRefs(mirror: Mirror, input: string): Promise<GitResult> {
  const options = { gitDir: mirror.dir, input, allow: [0, 1, 128] };
  const first = await git(['update-ref', '--stdin'], options);
  if (first.code === 0 || !/\.lock': File exists/.test(first.stderr)) return first;
  const cleared = await clearStaleLocks(mirror);
  return cleared.length > 0 ? git(['update-ref', '--stdin'], options) : first;
}
