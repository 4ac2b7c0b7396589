/** Which side of a diff is meant: the lines before the change, or those after it. */
export type Side = 'old' | 'new';

/** A line of one side is meant, or several. */
export type Selection = { path: string; side: Side; line: number; endLine: number };

/** Which lines are meant, in words. */
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
