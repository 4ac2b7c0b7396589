import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { messageOf } from '../errors.ts';
import { InputErrors } from './input-errors.ts';
import { readJson } from './json-source.ts';
import type { Source, SourceLocation } from './source.ts';

const MAX_ROWS = 100_000;
const LONGEST_CELL = 1_000_000;

const Row = z.object({ record: z.record(z.string(), z.string()), raw: z.string() });
const CsvFailure = z.object({ lines: z.number(), column: z.union([z.string(), z.number()]).optional() });

/** Reads one JSON value a line; empty lines are skipped. */
export function readJsonLines(text: string, errors: InputErrors): Source {
  const rows: Source[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const row = readJson(line, errors, index + 1);
    if (row !== undefined) rows.push({ value: row.value, locate: locateInLine(line, index + 1) });
    if (rows.length > MAX_ROWS) {
      errors.add({ code: 'too_large', line: index + 1, reason: `more than ${MAX_ROWS} lines of work` });
      break;
    }
  }
  return {
    value: rows.map(({ value }) => value),
    locate: ([row, ...rest], about) => rowAt(rows, row)?.locate(rest, about) ?? { line: 1, column: 1 },
  };
}

/** Parses a line again only when it has an error: a hundred thousand trees would fill the memory. */
function locateInLine(line: string, number: number): Source['locate'] {
  return (path, about) => {
    if (path.length === 0) return { line: number, column: 1 };
    return readJson(line, new InputErrors(''), number)?.locate(path, about) ?? { line: number, column: 1 };
  };
}

/** Reads a table with a header line, separated by commas, semicolons or tabs; empty cells are left out. */
export function readCsv(text: string, errors: InputErrors): Source | undefined {
  const separator = separatorOf(text);
  let parsed: unknown;
  try {
    parsed = parse(text, {
      columns: (names: string[]) => headerOf(names, errors),
      delimiter: separator,
      raw: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      trim: true,
      max_record_size: LONGEST_CELL,
    });
  } catch (error) {
    const where = CsvFailure.safeParse(error);
    errors.add({
      code: 'syntax_error',
      reason: `not a valid CSV table: ${messageOf(error)}`,
      line: where.success ? Math.max(1, where.data.lines) : 1,
    });
    return undefined;
  }
  const rows = z.array(Row).parse(parsed);
  const lines = firstLines(text, rows);
  return {
    value: rows.map(({ record }) => Object.fromEntries(Object.entries(record).filter(([, cell]) => cell !== ''))),
    locate: ([row]): SourceLocation => ({ line: rowAt(lines, row) ?? 1, column: 1 }),
  };
}

/** The line on which each row begins: a cell may hold several lines, and what precedes a row is part of its text. */
function firstLines(text: string, rows: readonly { raw: string }[]): number[] {
  let searched = 0;
  let counted = 0;
  let line = 1;
  return rows.map(({ raw }) => {
    const from = Math.max(text.indexOf(raw, searched), searched);
    const begin = from + raw.length - raw.trimStart().length;
    for (let at = text.indexOf('\n', counted); at >= 0 && at < begin; at = text.indexOf('\n', at + 1)) line += 1;
    counted = begin;
    searched = from + raw.length;
    return line;
  });
}

/** What separates the cells of a table, judged by its header. */
export function separatorOf(text: string): ',' | ';' | '\t' {
  const header = text.slice(0, text.indexOf('\n') < 0 ? text.length : text.indexOf('\n'));
  const counted = ([',', ';', '\t'] as const).map((mark) => ({ mark, count: header.split(mark).length }));
  return counted.reduce((best, next) => (next.count > best.count ? next : best)).mark;
}

function headerOf(names: readonly string[], errors: InputErrors): string[] {
  const trimmed = names.map((name) => name.trim());
  for (const [index, name] of trimmed.entries()) {
    const column = index + 1;
    if (name === '' || name === '__proto__') {
      errors.add({ code: 'syntax_error', reason: `column ${column} of the header has no usable name` });
    } else if (trimmed.indexOf(name) < index) {
      errors.add({ code: 'syntax_error', reason: `two columns of the header are named "${name}"` });
    }
  }
  return trimmed;
}

function rowAt<T>(rows: readonly T[], row: string | number | undefined): T | undefined {
  return typeof row === 'number' ? rows[row] : undefined;
}
