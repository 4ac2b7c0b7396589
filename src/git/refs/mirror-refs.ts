import { AppError } from '../../errors.ts';
import { AnswerLost } from '../../process/answering-program.ts';
import { crashpoint } from '../../world.ts';
import { type GitResult, git } from '../git.ts';
import { answeringGit } from '../git-stream.ts';
import { clearStaleLocks } from '../mirror/locks.ts';
import type { Mirror } from '../mirror/mirror-config.ts';
import { isOid, isRefName, readRefFile, readRefs } from './refs.ts';

const ANSWER = 'start: ok\ncommit: ok\n';
const WRITTEN: GitResult = { code: 0, stdout: '', stderr: '' };

type PendingUpdate = { input: string; resolve: (result: GitResult) => void; reject: (error: unknown) => void };

/** Pending ref updates by mirror; an entry exists only while one is being written. */
const queues = new Map<string, PendingUpdate[]>();

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

/**
 * Runs instructions with `update-ref`, all or none of them. Updates that arrive during a write wait, and one git process
 * writes all of them, because a process each would cost more. If that is refused, each is tried separately.
 */
function enqueueRefUpdate(mirror: Mirror, input: string): Promise<GitResult> {
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
  if (joint?.code === 0) {
    for (const { resolve } of group) resolve(joint);
    return;
  }
  // Each update is retried separately, so that each caller gets its own error.
  for (const { input, resolve, reject } of group) {
    const rest = joint?.wasKilled === true ? await unwritten(mirror, input) : input;
    await (rest === '' ? Promise.resolve(WRITTEN) : updateRefs(mirror, rest)).then(resolve, reject);
  }
}

/** `wasKilled`: a git process was killed while it wrote, perhaps after some of the refs. */
type UpdateResult = GitResult & { wasKilled?: boolean };

/** A transaction is answered with two lines; a refused one ends the process with the reason. */
const refProgram = answeringGit<void>(['update-ref', '--stdin'], (received) => {
  const bytes = ANSWER.length;
  return received.length < bytes ? { atLeast: bytes } : { answer: undefined, bytes };
});

/**
 * The process that waits for updates may have an outdated view of the refs, and it dies of a refusal; so a refusal counts
 * only where a process of its own repeats it.
 */
async function updateRefs(mirror: Mirror, input: string): Promise<UpdateResult> {
  try {
    await refProgram(mirror).ask(`start\n${input}commit\n`);
    return WRITTEN;
  } catch (error) {
    if (!(error instanceof AnswerLost)) throw error;
    if (error.stderr === '') return complete(mirror, input);
  }
  return updateAlone(mirror, input);
}

/** Writes what a killed git process has not written. */
async function complete(mirror: Mirror, input: string): Promise<UpdateResult> {
  const rest = await unwritten(mirror, input);
  return rest === '' ? WRITTEN : { ...(await updateAlone(mirror, rest)), wasKilled: true };
}

async function updateAlone(mirror: Mirror, input: string): Promise<UpdateResult> {
  let wasKilled = false;
  const isDone = async () => {
    wasKilled = true;
    return (await unwritten(mirror, input)) === '';
  };
  const options = { gitDir: mirror.dir, input, allow: [0, 1, 128], isDone };
  const first = await git(['update-ref', '--stdin'], options);
  if (first.code === 0) return first;
  const isLocked = /\.lock': File exists/.test(first.stderr);
  if (isLocked && (await clearStaleLocks(mirror)).length > 0) return complete(mirror, input);
  return wasKilled && !isLocked ? complete(mirror, input) : first;
}

/** The instructions whose refs are not where they put them; only this engine writes these refs, and one write after another. */
async function unwritten(mirror: Mirror, input: string): Promise<string> {
  let rest = '';
  for (const [line, ref = '', to] of input.matchAll(/^\w+ (\S+) (\S+).*\n/gm))
    if ((await readRef(mirror, ref)) !== to) rest += line;
  return rest;
}

/** The branch of the user that a detached commit most likely belongs to: one that is at it, else the usual default. */
export async function branchAt(mirror: Mirror, commit: string): Promise<string | undefined> {
  const prefix = 'refs/user/heads/';
  const tips = [...(await readRefs(mirror.dir, 'refs/user/heads'))].map(([ref, tip]) => ({
    name: ref.slice(prefix.length),
    tip,
  }));
  // A name that a shell could read differently is never printed as part of a command.
  const own = tips.filter(({ name }) => !name.startsWith('mh/') && /^\w[\w./-]*$/.test(name));
  const named = (branch: string) => own.find(({ name }) => name === branch);
  return (own.find(({ tip }) => tip === commit) ?? named('main') ?? named('master') ?? own[0])?.name;
}
