/** A side of a diff: the lines before the change, or those after it. */
export type Side = 'old' | 'new';

/** A range of lines on one side of a file. */
export type Selection = { path: string; side: Side; line: number; endLine: number };

/** Describes a range of lines. */
export function describeLines({
  side,
  line,
  endLine,
}: {
  side: Side;
  line: number;
  endLine?: number | undefined;
}): string {
  const before = side === 'old' ? ' before the change' : '';
  return endLine === undefined || endLine === line ? `line ${line}${before}` : `lines ${line} to ${endLine}${before}`;
}
