import type { TranscriptEntry, TranscriptRow } from '../../src/store/store.ts';

/** The time of everything in the samples. */
export const AT = 1_700_000_000_000;

export function event(type: string): { type: string; data: unknown } {
  return { type, data: { type } };
}

export function row(attempt: string, offset: number): TranscriptRow {
  return { attempt, file: 'stdout', offset, at: AT, kind: 'text', text: `line at ${offset}` };
}

export function rowsOf(attempt: string, offsets: number[]): TranscriptRow[] {
  return offsets.map((offset) => row(attempt, offset));
}

export function batch(attempt: string, offsets: number[], { cursor, usage }: { cursor: number; usage?: unknown }) {
  const cursors = [{ file: 'stdout', offset: cursor }] as const;
  return { attempt, rows: rowsOf(attempt, offsets), cursors, ...(usage === undefined ? {} : { usage }) };
}

export function withoutId({ id: _, ...rest }: TranscriptEntry): TranscriptRow {
  return rest;
}

export function counting(to: number): number[] {
  return Array.from({ length: to }, (_, index) => index + 1);
}

export function isGrowing(numbers: number[]): boolean {
  return numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? number));
}
