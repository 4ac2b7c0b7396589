/** A piece of a line: plain text, or text that is shown verbatim as code. */
export type Piece = string | { code: string };

/** An attempt in a time line. */
export type TimelineRow = { label: string; from: number; until: number; isFailed: boolean };

/** A part of a report. Every text in it may come from an agent: writers must escape it. */
export type Block =
  | { kind: 'heading'; level: 1 | 2 | 3; text: string }
  | { kind: 'paragraph'; pieces: Piece[] }
  | { kind: 'list'; items: Piece[][] }
  | { kind: 'table'; head: string[]; rows: Piece[][][] }
  | { kind: 'quote'; text: string }
  | { kind: 'code'; text: string }
  /** A patch, and what agents said: like code, and as long as they are. */
  | { kind: 'diff' | 'transcript'; text: string }
  /** Folded where the format can fold. */
  | { kind: 'details'; summary: string; blocks: Block[] }
  /** Attempts over time, in milliseconds since 1970. */
  | { kind: 'timeline'; from: number; until: number; rows: TimelineRow[] };

/** A report before it is written out in a format. */
export type Page = { title: string; blocks: Block[] };

/** A heading with its content; nothing at all where the content is empty. */
export function section(text: string, blocks: readonly Block[]): Block[] {
  return blocks.length === 0 ? [] : [{ kind: 'heading', level: 2, text }, ...blocks];
}

export function paragraph(...pieces: Piece[]): Block {
  return { kind: 'paragraph', pieces };
}

export function list(items: readonly Piece[][]): Block[] {
  return items.length === 0 ? [] : [{ kind: 'list', items: [...items] }];
}

/** A table whose cells are single pieces. */
export function table(head: readonly string[], rows: readonly (readonly Piece[])[]): Block[] {
  if (rows.length === 0) return [];
  return [{ kind: 'table', head: [...head], rows: rows.map((row) => row.map((cell) => [cell])) }];
}

export function code(text: string): Piece {
  return { code: text };
}

/** The texts of one column of a table. */
export function columnTexts(rows: Extract<Block, { kind: 'table' }>['rows'], column: number): string[] {
  return rows.map((row) =>
    (row[column] ?? []).map((piece) => (typeof piece === 'string' ? piece : piece.code)).join(''),
  );
}
