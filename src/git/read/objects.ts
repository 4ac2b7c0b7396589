import { AppError } from '../../errors.ts';
import { AnswerLost } from '../../process/answering-program.ts';
import { git } from '../git.ts';
import { answeringGit, gitStream } from '../git-stream.ts';
import type { Mirror } from '../mirror/mirror-config.ts';
import { isOid } from '../refs/refs.ts';
import { type ReadCache, readOnce } from './read-once.ts';

/** A commit's tree and parents. */
export type CommitFacts = { tree: string; parents: readonly string[] };

/** An entry of a tree; its mode is as git stores it, such as `100644` or `40000`, its name has a character for each byte. */
export type TreeEntry = { mode: string; name: string; oid: string };

type ObjectType = 'blob' | 'commit' | 'tree';
type Answer = { type: string; size: number; content: Buffer };

export const TREE_MODE = '40000';
const NEWLINE = 0x0a;
const MAX_BYTES = 16 * 1024 * 1024;
/** Objects never change, so what was read is kept: some megabytes at most. */
const KEPT_COMMITS = 4_096;
const KEPT_TREES = 256;
/** So much of what may be kept as one result does an entry take: folders of more than 500 entries are not kept. */
const TREE_WEIGHT = 20;

const NOTHING = Buffer.alloc(0);

/** `<id> <type> <size>`, followed by the content where that was requested; or a line that says why there is none. */
const objectProgram = answeringGit<Answer>(['cat-file', '--batch-command'], (received, request) => {
  const end = received.indexOf(NEWLINE);
  if (end < 0) return { atLeast: received.length + 1 };
  const [oid = '', type = '', size = ''] = received.toString('latin1', 0, end).split(' ');
  const start = end + 1;
  if (!isOid(oid) || size === '') return { answer: { type: 'missing', size: 0, content: NOTHING }, bytes: start };
  const bytes = Number(size);
  if (request.startsWith('info')) return { answer: { type, size: bytes, content: NOTHING }, bytes: start };
  // A newline follows the content.
  const whole = start + bytes + 1;
  if (received.length < whole) return { atLeast: whole };
  return { answer: { type, size: bytes, content: Buffer.from(received.subarray(start, start + bytes)) }, bytes: whole };
});

const commits: ReadCache<CommitFacts> = new Map();
const trees: ReadCache<readonly TreeEntry[]> = new Map();

/** A commit's tree and parents; throws if the mirror does not have it. */
export function readCommit(mirror: Mirror, oid: string): Promise<CommitFacts> {
  const read = async () => parseCommit(await contentOf(mirror, oid, 'commit'));
  return readOnce(commits, { mirror, commits: [oid], read, sizeOf: () => 1 }, KEPT_COMMITS);
}

/** The entries of a tree in git's order; throws if the mirror does not have it. */
export function readTree(mirror: Mirror, oid: string): Promise<readonly TreeEntry[]> {
  const read = async () => parseTree(await contentOf(mirror, oid, 'tree'), oid.length / 2);
  return readOnce(trees, { mirror, commits: [oid], read, sizeOf: (tree) => tree.length * TREE_WEIGHT }, KEPT_TREES);
}

/** The number of bytes of an object; zero where the mirror does not have it. */
export async function objectSize(mirror: Mirror, oid: string): Promise<number> {
  if (!isOid(oid)) throw new AppError('INTERNAL', `${oid} is not an object's id`, { oid });
  try {
    const info = await objectProgram(mirror).ask(`info ${oid}\n`);
    if (info.type !== 'missing') return info.size;
  } catch (error) {
    if (!(error instanceof AnswerLost)) throw error;
  }
  // The process may not have seen what was written since.
  const { code, stdout } = await git(['cat-file', '-s', oid], { gitDir: mirror.dir, allow: [0, 128] });
  return code === 0 ? Number(stdout) : 0;
}

/** An object of this type that has no more bytes; undefined where there is none, or the process that answers does not find it. */
export async function readSmallObject(
  mirror: Mirror,
  { oid, type }: { oid: string; type: ObjectType },
  maxBytes: number,
): Promise<Buffer | undefined> {
  if (!isOid(oid)) throw new AppError('INTERNAL', `${oid} is not an object's id`, { oid });
  try {
    const program = objectProgram(mirror);
    const info = await program.ask(`info ${oid}\n`);
    return info.type === type && info.size <= maxBytes ? (await program.ask(`contents ${oid}\n`)).content : undefined;
  } catch (error) {
    if (error instanceof AnswerLost) return undefined;
    throw error;
  }
}

/** What the process does not answer, or does not find, is read by a git process of its own, which also reports errors. */
async function contentOf(mirror: Mirror, oid: string, type: ObjectType): Promise<Buffer> {
  const answered = await readSmallObject(mirror, { oid, type }, MAX_BYTES);
  if (answered !== undefined) return answered;
  const chunks: Buffer[] = [];
  for await (const chunk of gitStream(mirror, ['cat-file', type, oid])) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function parseCommit(content: Buffer): CommitFacts {
  const [head = ''] = content.toString('latin1').split('\n\n', 1);
  const lines = head.split('\n');
  const parents = lines.flatMap((line) => (line.startsWith('parent ') ? [line.slice('parent '.length)] : []));
  return { tree: (lines[0] ?? '').replace(/^tree /, ''), parents };
}

/** A tree object is a sequence of `mode name NUL id`; names are bytes, kept as one character each. */
function parseTree(content: Buffer, idBytes: number): TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const end = content.indexOf(0, space);
    const next = end + 1 + idBytes;
    entries.push({
      mode: canonicalMode(content.toString('latin1', at, space)),
      name: content.toString('latin1', space + 1, end),
      oid: content.toString('hex', end + 1, next),
    });
    at = next;
  }
  return entries;
}

/** As git reads them: old programs wrote group permissions and leading zeros. */
function canonicalMode(mode: string): string {
  const plain = mode.replace(/^0+/, '');
  if (!plain.startsWith('100')) return plain;
  return (Number.parseInt(plain, 8) & 0o100) === 0 ? '100644' : '100755';
}
