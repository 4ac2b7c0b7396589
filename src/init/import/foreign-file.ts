import { parse as parseToml, TomlError } from 'smol-toml';
import { type ConfigIssue, refuseConfig } from '../../config/config-error.ts';
import { dropEmpty, isPlain, type Plain } from '../../config/merge.ts';
import { parseConfig } from '../../config/parse.ts';
import { messageOf } from '../../errors.ts';

/** A file of another tool, read but not yet understood; keys without a value are gone. */
export type ForeignFile = {
  file: string;
  value: Plain;
  /** Where a mistake about a key belongs. */
  locate(path: readonly string[], reason: string): ConfigIssue;
};

/** JSON is read as the YAML that it is. */
export type Syntax = 'yaml' | 'toml';

const MAX_DEPTH = 500;

/** Reads a file of another tool; broken syntax is refused with its place, and a key can be found again in the text. */
export function parseForeign(file: string, text: string, syntax: Syntax): ForeignFile {
  requireShallow(file, text);
  return syntax === 'toml' ? fromToml(file, text) : fromYaml(file, text);
}

/** Settings are a few levels deep; what is nested without end only costs time. */
function requireShallow(file: string, text: string): void {
  let depth = 0;
  for (const character of text) {
    if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > MAX_DEPTH) refuseConfig([{ file, line: 1, column: 1, key: '', reason: 'nested too deeply' }]);
  }
}

function fromYaml(file: string, text: string): ForeignFile {
  const { value, locate } = parseConfig(text, file);
  return { file, value, locate: (path, reason) => locate({ path: [...path], reason, about: 'value' }) };
}

function fromToml(file: string, text: string): ForeignFile {
  const value = dropEmpty(tomlValue(file, text));
  return {
    file,
    value: isPlain(value) ? value : {},
    locate: (path, reason) => ({ file, ...placeInToml(text, path), key: path.join('.'), reason }),
  };
}

function tomlValue(file: string, text: string): unknown {
  try {
    return parseToml(text);
  } catch (error) {
    const { line, column } = error instanceof TomlError ? error : { line: 1, column: 1 };
    const reason = messageOf(error).split('\n', 1)[0] ?? '';
    return refuseConfig([{ file, line, column, key: '', reason }]);
  }
}

/** The line of a key in a TOML text, counted from 1: its own line if it can be found, else the line of its table. */
function placeInToml(text: string, path: readonly string[]): { line: number; column: number } {
  const searched = path.join('.');
  let table = '';
  let best = { line: 1, column: 1, length: -1 };
  for (const [index, line] of text.split('\n').entries()) {
    const isHeader = line.trimStart().startsWith('[');
    if (isHeader) table = plain(line.replaceAll(/[[\]]/g, ' '));
    const key = isHeader || !line.includes('=') ? undefined : line.slice(0, line.indexOf('='));
    const here = [table, ...(key === undefined ? [] : [plain(key)])].filter((part) => part !== '').join('.');
    const isAbove = here !== '' && (searched === here || searched.startsWith(`${here}.`));
    if (isAbove && here.length > best.length)
      best = { line: index + 1, column: line.search(/\S/) + 1, length: here.length };
  }
  return { line: best.line, column: best.column };
}

function plain(key: string): string {
  return key.replaceAll(/["'\s]/g, '');
}
