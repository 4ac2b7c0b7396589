import { type GitResult, git } from '../git.ts';
import { clearStaleLocks } from '../mirror/locks.ts';
import type { Mirror } from '../mirror/mirror-config.ts';

type PendingUpdate = { input: string; resolve: (result: GitResult) => void; reject: (error: unknown) => void };

/** Pending ref updates by mirror; an entry exists only while one is being written. */
const queues = new Map<string, PendingUpdate[]>();

/**
 * Runs instructions with `update-ref`, all or none of them. Updates that arrive during a write wait, and one git process
 * writes all of them, because a process each would cost more. If that is refused, each is tried separately.
 */
export function enqueueRefUpdate(mirror: Mirror, input: string): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const pending = { input, resolve, reject };
    const queue = queues.get(mirror.dir);
    if (queue !== undefined) queue.push(pending);
    else void processQueue(mirror, [pending]);
  });
}

async function processQueue(mirror: Mirror, first: PendingUpdate[]): Promise<void> {
  for (let group = first; group.length > 0; group = queues.get(mirror.dir) ?? []) {
    queues.set(mirror.dir, []);
    await writeTogether(mirror, group);
  }
  queues.delete(mirror.dir);
}

async function writeTogether(mirror: Mirror, group: readonly PendingUpdate[]): Promise<void> {
  const [only, another] = group;
  if (only === undefined) return;
  if (another === undefined) return updateRefs(mirror, only.input).then(only.resolve, only.reject);
  const joint = await updateRefs(mirror, group.map(({ input }) => input).join('')).catch(() => undefined);
  // Each update is retried separately below, so that each caller gets its own error.
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
