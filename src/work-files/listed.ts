import { z } from 'zod';
import { Label, Labels } from '../schema/config/hosts.ts';
import { WorkId } from '../schema/work-file.ts';

/** An id as files write it: a name, or a whole number that becomes its decimal text. */
export const FileId = z.preprocess((value) => (isOrdinal(value) ? String(value) : value), WorkId);

/** A list, or one entry as a list of it. */
export function oneOrMany<S extends z.ZodType>(entry: S) {
  return z.preprocess((value) => (value === undefined || Array.isArray(value) ? value : [value]), z.array(entry));
}

/** Labels that a host must have: one, or a list. */
export const FileLabels = oneOrMany(Label).pipe(Labels).optional();

/** A list as a cell of a table writes it: a JSON list, one entry a line, or entries between `;;`. */
export function cellList(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (text.startsWith('[')) {
    try {
      return JSON.parse(text);
    } catch {
      // Not JSON after all: a text that begins with a bracket.
    }
  }
  return text
    .split(/\n|;;/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function isOrdinal(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
