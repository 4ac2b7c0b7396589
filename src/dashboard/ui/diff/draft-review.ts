import type { ReviewComment } from '../../../schema/message.ts';
import type { Selection } from './line-selection.ts';
import type { DiffFile } from './parse-diff.ts';

/** A comment that is not sent yet. */
export type DraftComment = ReviewComment & { id: string };

/** An unsent review of a diff. */
export type Review = { message: string; comments: readonly DraftComment[] };

export const NO_REVIEW: Review = { message: '', comments: [] };

const MAX_QUOTE_LENGTH = 4_000;

/** Adds or replaces a comment; an empty text removes it. */
export function withComment(review: Review, comment: DraftComment): Review {
  const others = review.comments.filter(({ id }) => id !== comment.id);
  const text = comment.text.trim();
  return { ...review, comments: text === '' ? others : inOrder([...others, { ...comment, text }]) };
}

/** A comment on the selected lines, with the lines as its quote. */
export function commentOn(file: DiffFile, selection: Selection, written: { id: string; text: string }): DraftComment {
  const { path, side, line, endLine } = selection;
  const quote = quoteOf(file, selection);
  return {
    ...written,
    path,
    side,
    line,
    ...(endLine === line ? {} : { endLine }),
    ...(quote === '' ? {} : { quote }),
  };
}

/** An unused comment id. */
export function nextId({ comments }: Review): string {
  return String(1 + Math.max(0, ...comments.map(({ id }) => Number(id) || 0)));
}

/** Adds the comments of an earlier review; they keep their quotes. */
export function mergeReviews(review: Review, earlier: Review): Review {
  const joined = earlier.comments.reduce((sum, comment) => withComment(sum, { ...comment, id: nextId(sum) }), review);
  const message = [review.message.trim(), earlier.message.trim()].filter((text) => text !== '').join('\n\n');
  return { ...joined, message };
}

/** The review as it is sent, without local ids. */
export function reviewMessage(review: Review): { message: string; comments: ReviewComment[] } {
  return { message: review.message.trim(), comments: review.comments.map(({ id: _id, ...comment }) => comment) };
}

export function isEmptyReview(review: Review): boolean {
  return review.comments.length === 0 && review.message.trim() === '';
}

/** Parses a stored review; invalid data gives an empty one. */
export function readReview(text: string | null): Review {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    if (!isRecord(value) || typeof value.message !== 'string' || !Array.isArray(value.comments)) return NO_REVIEW;
    return { message: value.message, comments: value.comments.filter(isComment) };
  } catch {
    // A draft that cannot be parsed is lost anyway.
    return NO_REVIEW;
  }
}

function isComment(value: unknown): value is DraftComment {
  if (!isRecord(value)) return false;
  const { id, path, side, line, endLine, text } = value;
  const isLocation = (side === 'old' || side === 'new') && isLine(line) && (endLine === undefined || isLine(endLine));
  return isLocation && [id, path, text].every((each) => typeof each === 'string');
}

function isLine(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function quoteOf(file: DiffFile, { side, line, endLine }: Selection): string {
  return file.hunks
    .flatMap(({ lines }) => lines)
    .filter((each) => each[side] !== null && (each[side] ?? 0) >= line && (each[side] ?? 0) <= endLine)
    .map(({ text }) => text)
    .join('\n')
    .slice(0, MAX_QUOTE_LENGTH);
}

function inOrder(comments: DraftComment[]): DraftComment[] {
  return comments.sort((a, b) => a.path.localeCompare(b.path) || a.line - b.line);
}

const COMMIT = /^[0-9a-f]{40,64}$/;

/** The keys under which reviews of other versions of this work are stored; those of a run are not those of its tasks. */
export function earlierKeys(keys: readonly string[], work: string, current: string): string[] {
  const isVersion = (key: string) => key.startsWith(`${work} `) && COMMIT.test(key.slice(work.length + 1));
  return keys.filter((key) => isVersion(key) && key !== current);
}
