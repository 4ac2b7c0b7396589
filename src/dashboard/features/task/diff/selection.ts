/** Which side of a diff is meant: the lines before the change, or those after it. */
export type Side = 'old' | 'new';

/** A line of one side is meant, or several. */
export type Selection = { path: string; side: Side; line: number; endLine: number };
