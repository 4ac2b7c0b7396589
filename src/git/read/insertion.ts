import type { Mirror } from '../mirror/mirror-config.ts';
import { isOid } from '../refs/refs.ts';
import { readCommit, readSmallObject } from './objects.ts';
import type { PatchPiece } from './patch-pieces.ts';
import { type TreeChange, treeChanges } from './tree-changes.ts';

/** For more, one git process is faster. */
const MOST_FILES = 16;
const MOST_BYTES = 64 * 1024;
const FILE_MODE = /^100/;
const AUTHOR = /^author (.*) <(.*)> \d+ [+-]\d+$/m;

/**
 * What a commit adds that only inserts lines into a few small files, or creates them: with that, which lines are added is
 * certain without a comparison by git. Undefined for any other history.
 */
export async function piecesOfInsertion(
  mirror: Mirror,
  { from, to }: { from: readonly string[]; to: readonly string[] },
): Promise<PatchPiece[] | undefined> {
  const [commit = ''] = to;
  if (to.length !== 1 || !isOid(commit)) return undefined;
  const { parents } = await readCommit(mirror, commit);
  const [parent = ''] = parents;
  if (parents.length !== 1 || !from.includes(parent)) return undefined;
  const message = messagePieces(await readSmallObject(mirror, { oid: commit, type: 'commit' }, MOST_BYTES));
  if (message === undefined) return undefined;
  const changes = await treeChanges(mirror, { from: parent, to: commit });
  if (changes.length > MOST_FILES) return undefined;
  const files = await Promise.all(changes.map((change) => addedLines(mirror, change)));
  const known = files.filter((lines) => lines !== undefined);
  if (known.length < files.length) return undefined;
  const names = changes.map(({ path }): PatchPiece => ({ kind: 'name', path }));
  return [{ kind: 'commit', commit }, ...message, ...names, ...known.flat()];
}

/** Author and message; undefined where git would convert them. */
function messagePieces(content: Buffer | undefined): PatchPiece[] | undefined {
  const text = content?.toString('latin1') ?? '';
  const end = text.indexOf('\n\n');
  const head = text.slice(0, end);
  const [, name, address] = AUTHOR.exec(head) ?? [];
  if (end < 0 || name === undefined || address === undefined || /^encoding /m.test(head)) return undefined;
  const body = text.slice(end + 2);
  if (/^\n|\0/.test(body)) return undefined;
  return [name, address, ...linesOf(body).map(withoutEnd)].map((line) => ({ kind: 'message', text: line }));
}

/** The lines that a change adds to its file; undefined where it also changes or removes others. */
async function addedLines(
  mirror: Mirror,
  { path, status, modes, oids }: TreeChange,
): Promise<PatchPiece[] | undefined> {
  if (![modes.before, modes.after].every((mode) => FILE_MODE.test(mode) || /^0+$/.test(mode))) return undefined;
  if (status === 'deleted' || oids.before === oids.after) return [];
  const read = (oid: string) => readSmallObject(mirror, { oid, type: 'blob' }, MOST_BYTES);
  const [before, after] = await Promise.all([
    status === 'added' ? Buffer.alloc(0) : read(oids.before),
    read(oids.after),
  ]);
  if (before === undefined || after === undefined) return undefined;
  const [old, lines] = [linesOf(before.toString('latin1')), linesOf(after.toString('latin1'))];
  const start = commonStart(old, lines);
  const end = commonStart(old.slice(start).reverse(), lines.slice(start).reverse());
  if (start + end < old.length) return undefined;
  const added = lines.slice(start, lines.length - end);
  if (added.length === 0) return [];
  const pieces = added.map((text, index): PatchPiece => {
    return { kind: 'added', text: withoutEnd(text), line: start + index + 1, isEnd: true };
  });
  return [{ kind: 'file', path }, ...pieces];
}

/** Each with its end, which the last one may not have. */
function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/).filter((line) => line !== '');
}

function withoutEnd(line: string): string {
  return line.replace(/\n$/, '');
}

/** How many lines at the start are equal. */
function commonStart(a: readonly string[], b: readonly string[]): number {
  const differing = a.findIndex((line, index) => line !== b[index]);
  return differing < 0 ? a.length : differing;
}
