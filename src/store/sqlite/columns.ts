import type { SQLOutputValue } from 'node:sqlite';
import { AppError } from '../../errors.ts';

export type Row = Record<string, SQLOutputValue>;

/** A column that is text by our schema. */
export function textOf(row: Row, column: string): string {
  const value = row[column];
  if (typeof value === 'string') return value;
  throw new AppError('DATA_DAMAGED', `The database contains ${typeof value} where ${column} must be text`, { column });
}

/** A column that is an integer by our schema. */
export function integerOf(row: Row, column: string): number {
  const value = row[column];
  if (typeof value === 'number') return value;
  throw new AppError('DATA_DAMAGED', `The database contains ${typeof value} where ${column} must be a number`, {
    column,
  });
}

/** A column with JSON that we wrote. */
export function jsonOf(row: Row, column: string): unknown {
  return fromJson(textOf(row, column));
}

/** The value of a text that `toJson` wrote. */
export function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError('DATA_DAMAGED', 'The database contains a text that is not JSON', {}, { cause });
  }
}

/** JSON for a column; a value that JSON cannot express is stored as null. */
export function toJson(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}
