import { shellWord } from '../core/view/shell-word.ts';
import { AppError } from '../errors.ts';
import { type Path, pathText, type Source, type SourceLocation } from './source.ts';

/** Stable names of the errors of a work file. */
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

/** An error in a work file, with its location. */
export type InputError = SourceLocation & { code: InputErrorCode; where: string; reason: string };

const MAX_SHOWN = 20;
const MAX_KEPT = 1_000;
const LONGEST_PATH = 120;
const LONGEST_REASON = 3_000;

/** Collects the errors of one file, so that all of them are reported at once. */
export class InputErrors {
  /** How messages name the file. */
  readonly file: string;
  readonly #found: InputError[] = [];
  #count = 0;

  constructor(file: string) {
    this.file = file;
  }

  get any(): boolean {
    return this.#found.length > 0;
  }

  /** A value of a wrong type was not read, so that it would be reported as missing too. */
  #isReported({ reason, where = '' }: { reason: string; where?: string }): boolean {
    if (!reason.startsWith('missing')) return false;
    return this.#found.some((other) => other.where === where || other.where.startsWith(`${where}[`));
  }

  add(error: { code: InputErrorCode; reason: string; where?: string } & Partial<SourceLocation>): void {
    if (this.#isReported(error)) return;
    this.#count += 1;
    if (this.#found.length >= MAX_KEPT) return;
    const { where = '', reason } = error;
    const short = { where: shortened(where, LONGEST_PATH), reason: shortened(reason, LONGEST_REASON) };
    this.#found.push({ line: 1, column: 1, ...error, ...short });
  }

  /** Adds what is wrong at a path of a source. */
  addAt(source: Source, path: Path, error: { code: InputErrorCode; reason: string; about?: 'key' | 'value' }): void {
    const { about, ...rest } = error;
    if (this.#found.length >= MAX_KEPT) {
      this.#count += 1;
      return;
    }
    this.add({ ...rest, ...source.locate(path, about), where: pathText(path) });
  }

  /** Refuses the file if anything was found. */
  refuse(): void {
    if (this.any) this.fail();
  }

  /** Refuses the file with everything that was found, in the order of the file; the message shows the first of them. */
  fail(): never {
    const mistakes = this.#found.toSorted((a, b) => a.line - b.line || a.column - b.column);
    const lines = errorLines(this.file, mistakes.slice(0, MAX_SHOWN));
    const left = this.#count - lines.length;
    if (left > 0) lines.push(`and ${left} more; manyhands check ${shellWord(this.file)} lists them`);
    throw new AppError('WORK_FILE_INVALID', lines.join('\n'), { file: this.file, count: this.#count, mistakes });
  }
}

/** Errors of a file as lines: where each is, and the reason. */
export function errorLines(
  file: string,
  errors: readonly Pick<InputError, 'line' | 'column' | 'where' | 'reason'>[],
): string[] {
  return errors.map(
    ({ line, column, where, reason }) => `${file}:${line}:${column}: ${where === '' ? '' : `${where}: `}${reason}`,
  );
}

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
