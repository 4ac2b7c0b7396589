import { AppError } from '../errors.ts';
import { type Path, type Place, pathText, type Source } from './source.ts';

/** Stable names of what can be wrong with a file of work. */
export type InputErrorCode =
  | 'syntax_error'
  | 'invalid_value'
  | 'missing_field'
  | 'unknown_key'
  | 'unknown_format'
  | 'invalid_id'
  | 'duplicate_id'
  | 'invalid_expression'
  | 'cycle_detected'
  | 'missing_dependency'
  | 'unknown_role'
  | 'missing_outputs'
  | 'missing_write_scope'
  | 'invalid_write_scope'
  | 'missing_max_retries'
  | 'missing_retry_target'
  | 'too_large';

/** Something wrong in a file of work, where a person finds it. */
export type InputError = Place & { code: InputErrorCode; where: string; reason: string };

const MOST_SHOWN = 20;
const MOST_KEPT = 1_000;
const LONGEST_PLACE = 120;
const LONGEST_REASON = 3_000;

/** Gathers what is wrong with one file, so that all of it is told at once. */
export class InputErrors {
  readonly #file: string;
  readonly #found: InputError[] = [];
  #count = 0;

  constructor(file: string) {
    this.#file = file;
  }

  get any(): boolean {
    return this.#found.length > 0;
  }

  add(mistake: { code: InputErrorCode; reason: string; where?: string } & Partial<Place>): void {
    this.#count += 1;
    if (this.#found.length >= MOST_KEPT) return;
    const { where = '', reason } = mistake;
    const short = { where: shortened(where, LONGEST_PLACE), reason: shortened(reason, LONGEST_REASON) };
    this.#found.push({ line: 1, column: 1, ...mistake, ...short });
  }

  /** Adds what is wrong at a path of a source. */
  addAt(source: Source, path: Path, mistake: { code: InputErrorCode; reason: string; about?: 'key' | 'value' }): void {
    const { about, ...rest } = mistake;
    if (this.#found.length >= MOST_KEPT) {
      this.#count += 1;
      return;
    }
    this.add({ ...rest, ...source.place(path, about), where: pathText(path) });
  }

  /** Refuses the file if anything was found. */
  refuse(): void {
    if (this.any) this.fail();
  }

  /** Refuses the file with everything that was found, in the order of the file. */
  fail(): never {
    const all = this.#found.toSorted((a, b) => a.line - b.line || a.column - b.column);
    const shown = all.slice(0, MOST_SHOWN);
    const lines = shown.map(
      ({ line, column, where, reason }) =>
        `${this.#file}:${line}:${column}: ${where === '' ? '' : `${where}: `}${reason}`,
    );
    if (this.#count > shown.length) lines.push(`and ${this.#count - shown.length} more`);
    throw new AppError('WORK_FILE_INVALID', lines.join('\n'), {
      file: this.#file,
      count: this.#count,
      mistakes: shown,
    });
  }
}

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
