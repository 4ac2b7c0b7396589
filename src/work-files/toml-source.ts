import { parse, TomlError } from 'smol-toml';
import { messageOf } from '../errors.ts';
import type { InputErrors } from './input-errors.ts';
import { type Path, pathText, type Source, type SourceLocation } from './source.ts';

const HEADER = /^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?/;
const ASSIGNMENT = /^\s*((?:"[^"]*"|'[^']*'|[\w-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[\w-]+))*)\s*=/;
const KEY_PART = /"([^"]*)"|'([^']*)'|([\w-]+)/g;
const FENCES = ['"""', "'''"] as const;

/** Reads TOML; broken syntax, keys that are there twice and deep nesting are refused with their location. */
export function readToml(text: string, errors: InputErrors): Source | undefined {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    const location = error instanceof TomlError ? { line: error.line, column: error.column } : {};
    const reason = error instanceof RangeError ? 'nested too deeply' : (messageOf(error).split('\n')[0] ?? '');
    errors.add({ code: 'syntax_error', reason: `not valid TOML: ${reason}`, ...location });
    return undefined;
  }
  const locations = locationsOf(text);
  return { value, locate: (path) => nearestLocation(locations, path) };
}

/** The locations of tables and keys; what is inside an inline table or a list is located at its key. */
function locationsOf(text: string): Map<string, SourceLocation> {
  const locations = new Map<string, SourceLocation>();
  const entries = new Map<string, number>();
  let table: Path = [];
  let fence: string | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    if (fence !== undefined) {
      if (line.includes(fence)) fence = undefined;
      continue;
    }
    const header = HEADER.exec(line);
    const assignment = ASSIGNMENT.exec(line);
    const location = { line: index + 1, column: line.length - line.trimStart().length + 1 };
    if (header !== null) {
      table = withIndexes(keyParts(header[2] ?? ''), entries, header[1] === '[[');
      remember(locations, table, location);
    } else if (assignment !== null) {
      remember(locations, [...table, ...keyParts(assignment[1] ?? '')], location);
      fence = openedBy(line.slice(assignment[0].length));
    }
  }
  return locations;
}

function keyParts(key: string): string[] {
  return [...key.matchAll(KEY_PART)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

/** A table inside a list of tables belongs to the last of them. */
function withIndexes(parts: readonly string[], entries: Map<string, number>, isEntry: boolean): Path {
  const path: (string | number)[] = [];
  for (const [index, part] of parts.entries()) {
    path.push(part);
    const key = pathText(path);
    const isLast = index === parts.length - 1;
    if (isLast && isEntry) entries.set(key, (entries.get(key) ?? -1) + 1);
    const entry = entries.get(key);
    if (entry !== undefined) path.push(entry);
  }
  return path;
}

function remember(locations: Map<string, SourceLocation>, path: Path, location: SourceLocation): void {
  for (let length = path.length; length > 0; length -= 1) {
    const key = pathText(path.slice(0, length));
    if (!locations.has(key)) locations.set(key, location);
  }
}

function openedBy(rest: string): string | undefined {
  return FENCES.find((fence) => rest.trimStart().startsWith(fence) && rest.split(fence).length === 2);
}

function nearestLocation(locations: ReadonlyMap<string, SourceLocation>, path: Path): SourceLocation {
  for (let length = path.length; length > 0; length -= 1) {
    const found = locations.get(pathText(path.slice(0, length)));
    if (found !== undefined) return found;
  }
  return { line: 1, column: 1 };
}
