import type { Side } from './selection.ts';

/** Which lines are meant, in words. */
export function placeOf({ side, line, endLine }: { side: Side; line: number; endLine?: number | undefined }): string {
  const before = side === 'old' ? ' before the change' : '';
  return endLine === undefined || endLine === line ? `line ${line}${before}` : `lines ${line} to ${endLine}${before}`;
}
