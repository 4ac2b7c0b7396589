import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { InputErrors } from './input-errors.ts';
import { locationsIn, type Path, type Source } from './source.ts';

const MAX_DEPTH = 100;

/** Reads JSON, with comments and trailing commas allowed; duplicate keys, `__proto__` and deep nesting are refused. */
export function readJson(text: string, errors: InputErrors, firstLine = 1): Source | undefined {
  const find = locationsIn(text);
  const locationAt = (offset: number) => {
    const { line, column } = find(offset);
    return { line: line + firstLine - 1, column };
  };
  const deep = tooDeep(text);
  if (deep !== undefined) {
    errors.add({ code: 'too_large', reason: `nested deeper than ${MAX_DEPTH} levels`, ...locationAt(deep) });
    return undefined;
  }
  const parseErrors: ParseError[] = [];
  const root = parseTree(text, parseErrors, { allowTrailingComma: true, disallowComments: false });
  // One error causes more of them in its line.
  const byLine = Map.groupBy(parseErrors, ({ offset }) => locationAt(offset).line);
  for (const [first] of byLine.values()) {
    if (first === undefined) continue;
    const reason = `not valid JSON: ${messageFor(printParseErrorCode(first.error))}`;
    errors.add({ code: 'syntax_error', reason, ...locationAt(first.offset) });
  }
  if (parseErrors.length > 0 || root === undefined) return undefined;
  return {
    value: plainOf(root, (node, reason) => errors.add({ code: 'syntax_error', reason, ...locationAt(node.offset) })),
    locate: (path, about) => locationAt(offsetOf(root, path, about ?? 'value')),
  };
}

function tooDeep(text: string): number | undefined {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const letter = text[index];
    if (inString) {
      if (letter === '\\') index += 1;
      else if (letter === '"' || letter === '\n') inString = false;
    } else if (letter === '"') inString = true;
    else if (letter === '{' || letter === '[') depth += 1;
    else if (letter === '}' || letter === ']') depth -= 1;
    if (depth > MAX_DEPTH) return index;
  }
  return undefined;
}

function plainOf(node: Node, refuse: (node: Node, reason: string) => void): unknown {
  if (node.type === 'array') return (node.children ?? []).map((child) => plainOf(child, refuse));
  if (node.type !== 'object') return node.value;
  const record: Record<string, unknown> = {};
  for (const property of node.children ?? []) {
    const [key, value] = property.children ?? [];
    if (key === undefined || value === undefined) continue;
    const name = String(key.value);
    if (name === '__proto__') refuse(key, 'the key __proto__ is not allowed');
    else if (Object.hasOwn(record, name)) refuse(key, `the key "${name}" is duplicated`);
    else record[name] = plainOf(value, refuse);
  }
  return record;
}

function offsetOf(root: Node, path: Path, about: 'key' | 'value'): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = findNodeAtLocation(root, path.slice(0, length));
    if (node === undefined) continue;
    const key = node.parent?.type === 'property' ? node.parent.offset : node.offset;
    return about === 'key' && length === path.length ? key : node.offset;
  }
  return root.offset;
}

function messageFor(code: string): string {
  return code.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}
