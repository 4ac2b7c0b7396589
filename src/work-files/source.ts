/** The way to a value inside a file: keys and positions in lists. */
export type Path = readonly (string | number)[];

/** A place in a file, both counted from 1. */
export type Place = { line: number; column: number };

/** A file's content as plain values, with the way back to where each of them stands. */
export interface Source {
  readonly value: unknown;
  /** Where a value stands, or its key; of what is not there, where its nearest parent stands. */
  place(path: Path, about?: 'key' | 'value'): Place;
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
export function placesIn(text: string): (offset: number) => Place {
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
