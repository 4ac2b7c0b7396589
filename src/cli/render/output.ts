import { AppError, fromSystemError, messageOf } from '../../errors.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { cleanText } from './clean-text.ts';
import { painter } from './symbols.ts';
import { shorten, textWidth } from './text-width.ts';

export type Column = { title: string; most?: number; right?: boolean };

const LINE_BREAK_CONTROLS = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Prints the one document of a command called with --json; control characters are escaped so that it is safe on a terminal. */
export function printJson(terminal: Terminal, value: unknown): void {
  const text = JSON.stringify(value, null, 2);
  terminal.out(
    `${text.replaceAll(LINE_BREAK_CONTROLS, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`,
  );
}

export function printLines(terminal: Terminal, lines: readonly string[]): void {
  for (const line of lines) terminal.out(`${line}\n`);
}

/** Prints a failure: its message and hint, or with --json a document with both; returns the exit code. */
export function printError(terminal: Terminal, thrown: unknown, json: boolean): number {
  const { code, message, hint, details, exitCode } = asAppError(thrown);
  if (json) {
    printJson(terminal, { error: { code, message, hint, details } });
    return exitCode;
  }
  const colors = painter(terminal.colors.err);
  terminal.err(`${colors.red('error:')} ${cleanText(message)}\n${colors.dim('hint:')} ${hint}\n`);
  if (code === 'INTERNAL' && thrown instanceof Error) terminal.err(`${colors.dim(cleanText(thrown.stack ?? ''))}\n`);
  return exitCode;
}

/** Rows in aligned columns; the last column takes the remaining width. */
export function tableLines(columns: readonly Column[], rows: readonly (readonly string[])[], width: number): string[] {
  const widths = columns.map(({ title, most }, index) =>
    Math.min(
      rows.reduce((longest, row) => Math.max(longest, textWidth(row[index] ?? '')), textWidth(title)),
      most ?? width,
    ),
  );
  const titles = columns.map(({ title }) => title);
  const all = titles.every((title) => title === '') ? rows : [titles, ...rows];
  return all.map((row) => {
    let used = 0;
    const cells = columns.map(({ right }, index) => {
      const isLast = index === columns.length - 1;
      const cellWidth = isLast ? Math.max(width - used - 1, 10) : (widths[index] ?? 0);
      used += (widths[index] ?? 0) + 2;
      const text = shorten(row[index] ?? '', cellWidth);
      const blanks = ' '.repeat(Math.max((isLast ? 0 : cellWidth) - textWidth(text), 0));
      return right ? blanks + text : text + blanks;
    });
    return cells.join('  ').trimEnd();
  });
}

/** A limit of the system is no error of the program. */
export function asAppError(thrown: unknown): AppError {
  const error = fromSystemError(thrown, 'the command ran');
  return error instanceof AppError ? error : new AppError('INTERNAL', messageOf(thrown));
}
