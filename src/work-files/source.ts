/** The path of a value inside a file: keys and positions in lists. */
export type Path = readonly (string | number)[];

/** A location in a file, both counted from 1. */
export type SourceLocation = { line: number; column: number };

/** A file's content as plain values, with the location of each of them. */
export interface Source {
  readonly value: unknown;
  /** The location of a value, or of its key; for a missing value, that of its nearest parent. */
  locate(path: Path, about?: 'key' | 'value'): SourceLocation;
}

/** A path as a person writes it: `tasks[2].needs`. */
export function pathText(path: Path): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');
}

/** Whether a value is a map of keys. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Finds the line and column of offsets in a text. */
export function locationsIn(text: string): (offset: number) => SourceLocation {
  const starts = [0];
  for (let index = text.indexOf('\n'); index >= 0; index = text.indexOf('\n', index + 1)) starts.push(index + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: Math.max(0, offset - (starts[low] ?? 0)) + 1 };
  };
}
