import type { DatabaseRequest, Rows } from './query-database.ts';

/** A cell is shown with this many characters. */
const MAX_CELL_CHARS = 2_000;

/** Takes rows until there are enough, or their text is long enough. */
export class RowCollector {
  readonly #limits: Pick<DatabaseRequest, 'maxRows' | 'maxBytes'>;
  readonly #rows: Rows['rows'] = [];
  #bytes = 0;
  #isCut = false;

  constructor(limits: Pick<DatabaseRequest, 'maxRows' | 'maxBytes'>) {
    this.#limits = limits;
  }

  /** Adds a row; false if it did not fit, and nothing more will. */
  add(values: readonly unknown[]): boolean {
    const row = values.map((value) => this.#cell(value));
    const bytes = row.reduce((sum, cell) => sum + Buffer.byteLength(cell ?? '') + 4, 0);
    if (this.#rows.length >= this.#limits.maxRows || this.#bytes + bytes > this.#limits.maxBytes) {
      this.#isCut = true;
      return false;
    }
    this.#rows.push(row);
    this.#bytes += bytes;
    return true;
  }

  result(columns: readonly string[]): Rows {
    return { columns: columns.map((name) => name.slice(0, MAX_CELL_CHARS)), rows: this.#rows, isCut: this.#isCut };
  }

  #cell(value: unknown): string | null {
    if (value === null || value === undefined) return null;
    if (value instanceof Uint8Array) return `(${value.length} bytes)`;
    const text = String(value);
    if (text.length <= MAX_CELL_CHARS) return text;
    this.#isCut = true;
    return `${text.slice(0, MAX_CELL_CHARS)}…`;
  }
}
