import { fileKind } from '../../../core/finish/file-kind.ts';
import type { DraftComment } from './draft-review.ts';
import type { Selection, Side } from './line-selection.ts';
import type { DiffFile, DiffLine, Hunk } from './parse-diff.ts';

export type DiffLayout = 'unified' | 'split';

/** One row of the rendered diff; `key` is stable. */
export type DiffRow = { key: string; file: DiffFile } & (
  | { row: 'file'; isOpen: boolean; isViewed: boolean; isHeld: boolean }
  | { row: 'note'; text: string; canExpand: boolean }
  | { row: 'hunk'; title: string }
  | (LineRow & { isHeld: boolean })
  | { row: 'comment'; comment: DraftComment }
  | { row: 'editor'; selection: Selection }
);

export type Shown = {
  files: readonly DiffFile[];
  layout: DiffLayout;
  /** Files that the user expanded or collapsed. */
  toggled: ReadonlySet<string>;
  /** Files that the user marked as viewed; they are collapsed. */
  viewed: ReadonlySet<string>;
  /** Files because of which the work is held; they are never collapsed by default. */
  held?: ReadonlySet<string>;
  comments: readonly DraftComment[];
  editing: Selection | undefined;
};

const MANY_LINES = 600;

/** Why a file is collapsed by default; null if it is not. */
function collapseReason(file: DiffFile): string | null {
  const lines = file.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  if (lines === 0) return null;
  const kind = fileKind(file.path);
  if (kind === 'lock') return 'Lock file';
  if (kind === 'generated') return 'Generated file';
  return lines > MANY_LINES ? `${lines.toLocaleString('en-US')} lines` : null;
}

/** All rows of a diff, file by file. */
export function diffRows(shown: Shown): DiffRow[] {
  const rows: DiffRow[] = [];
  for (const file of shown.files) {
    const { path } = file;
    const isHeld = shown.held?.has(path) === true;
    const reason = isHeld ? null : collapseReason(file);
    const isViewed = shown.viewed.has(path);
    const isOpen = (reason === null && !isViewed) !== shown.toggled.has(path);
    rows.push({ row: 'file', key: path, file, isOpen, isViewed, isHeld });
    if (!isOpen) {
      if (reason !== null && !isViewed)
        rows.push({ row: 'note', key: `${path}:fold`, file, text: reason, canExpand: true });
      continue;
    }
    for (const text of notesOf(file)) rows.push({ row: 'note', key: `${path}:${text}`, file, text, canExpand: false });
    const announcement = shown.comments.filter((comment) => comment.path === path);
    for (const [index, hunk] of file.hunks.entries()) {
      rows.push({ row: 'hunk', key: `${path}@${index}`, file, title: hunkTitle(hunk) });
      for (const row of lineRows(hunk, shown.layout)) {
        const lines = row.row === 'line' ? [row.line] : [row.left, row.right];
        rows.push({ ...row, file, isHeld, key: `${path}:${lines.map(nameOf).join(':')}` });
        pushBelow(rows, { file, lines, announcement, editing: shown.editing });
      }
    }
  }
  return rows;
}

type LineRow = { row: 'line'; hunk: Hunk; line: DiffLine } | PairRow;
type PairRow = { row: 'pair'; hunk: Hunk; left: DiffLine | null; right: DiffLine | null };

function lineRows(hunk: Hunk, layout: DiffLayout): LineRow[] {
  return layout === 'unified' ? hunk.lines.map((line) => ({ row: 'line', hunk, line })) : pairs(hunk);
}

/** Lines side by side: deleted lines opposite the added lines that replace them. */
function pairs(hunk: Hunk): PairRow[] {
  const rows: PairRow[] = [];
  let deleted: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(deleted.length, added.length); at += 1)
      rows.push({ row: 'pair', hunk, left: deleted[at] ?? null, right: added[at] ?? null });
    [deleted, added] = [[], []];
  };
  for (const line of hunk.lines) {
    if (line.kind === 'deleted' && added.length > 0) flush();
    if (line.kind === 'deleted') deleted.push(line);
    else if (line.kind === 'added') added.push(line);
    else {
      flush();
      rows.push({ row: 'pair', hunk, left: line, right: line });
    }
  }
  flush();
  return rows;
}

type CommentPlacement = {
  file: DiffFile;
  lines: readonly (DiffLine | null)[];
  announcement: readonly DraftComment[];
  editing: Selection | undefined;
};

function pushBelow(rows: DiffRow[], { file, lines, announcement, editing }: CommentPlacement): void {
  const isLast = (side: Side, number: number) => lines.some((line) => line?.[side] === number);
  for (const comment of announcement) {
    if (isLast(comment.side, comment.endLine ?? comment.line))
      rows.push({ row: 'comment', key: `comment ${comment.id}`, file, comment });
  }
  if (editing?.path === file.path && isLast(editing.side, editing.endLine))
    rows.push({ row: 'editor', key: 'editor', file, selection: editing });
}

function nameOf(line: DiffLine | null): string {
  return line === null ? '-' : `${line.old ?? ''}.${line.new ?? ''}`;
}

function notesOf(file: DiffFile): string[] {
  if (file.isBinary) return ['Binary file'];
  if (file.hunks.length > 0) return file.notes;
  return file.notes.length > 0 ? file.notes : [file.status === 'renamed' ? 'Renamed without changes' : 'Empty file'];
}

function hunkTitle({ title, lines }: Hunk): string {
  const first = lines[0];
  const storageKey = `Line ${first?.new ?? first?.old ?? 1}`;
  return title === '' ? storageKey : `${storageKey} · ${title}`;
}
