import { type Document, isAlias, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { messageOf } from '../errors.ts';
import { type ConfigIssue, refuseConfig } from './config-error.ts';
import { dropEmpty, isPlain, type Plain } from './merge.ts';
import { pathText, type ValidationIssue } from './validation-issue.ts';
import { enterNode, startOfNode } from './yaml-node.ts';

/** A file of settings, read but not yet judged by the schema. */
export type ParsedConfig = {
  file: string;
  document: Document;
  value: Plain;
  /** Where an issue about this file belongs. */
  locate(issue: ValidationIssue): ConfigIssue;
  /** How many parts of the path exist in this file. */
  depthOf(path: readonly (string | number)[]): number;
};

const MAX_ALIASES = 50;

/** Settings that had another name in the same map before: the old path, and the present name. */
const RENAMED: readonly { path: readonly [string, string]; name: string }[] = [
  { path: ['workspace', 'symlinkDirs'], name: 'copyDirs' },
];

/** The present path of a setting that may have had another name before. */
export function presentPath(path: readonly string[]): string[] {
  const renamed = RENAMED.find(({ path: [map, old] }) => path[0] === map && path[1] === old);
  return renamed === undefined ? [...path] : [renamed.path[0], renamed.name, ...path.slice(2)];
}

/** Reads the YAML of a file; broken syntax, duplicate keys, alias bombs and `__proto__` are refused with their location. */
export function parseConfig(text: string, file: string): ParsedConfig {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, prettyErrors: false });
  const issueAt = (offset: number, key: string, reason: string): ConfigIssue => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1), key, reason };
  };
  const broken = [...document.errors, ...document.warnings].map(({ pos, message }) => issueAt(pos[0], '', message));
  for (const offset of forbiddenKeys(document)) broken.push(issueAt(offset, '__proto__', 'this key is not allowed'));
  if (broken.length > 0) refuseConfig(broken);
  renameKeys(document);
  const value = toPlain(document, (reason) => refuseConfig([issueAt(0, '', reason)]));
  return {
    file,
    document,
    value,
    locate: ({ path, reason, about }) => {
      const { keyOffset, valueOffset } = find(document, path);
      return issueAt(about === 'value' ? valueOffset : keyOffset, pathText(path), reason);
    },
    depthOf: (path) => find(document, path).depth,
  };
}

/** Gives settings their present names; a file that has both names keeps them, and the old one is refused as unknown. */
function renameKeys(document: Document): void {
  for (const { path, name } of RENAMED) {
    const [map, old] = path;
    const parent = enterNode(document.contents, map)?.value;
    const key = enterNode(parent, old)?.key;
    if (isScalar(key) && enterNode(parent, name) === undefined) key.value = name;
  }
}

function forbiddenKeys(document: Document): number[] {
  const found: number[] = [];
  visit(document, {
    Pair: (_, { key }) => {
      if (isScalar(key) && key.value === '__proto__') found.push(key.range?.[0] ?? 0);
    },
  });
  return found;
}

function toPlain(document: Document, refuse: (reason: string) => never): Plain {
  let value: unknown;
  try {
    value = dropEmpty(document.toJS({ maxAliasCount: MAX_ALIASES }));
  } catch (error) {
    return refuse(`${messageOf(error)}; at most ${MAX_ALIASES} uses of aliases are allowed`);
  }
  if (value === null || value === undefined) return {};
  return isPlain(value) ? value : refuse('the settings must be a map of keys, such as "land: branch"');
}

type Found = { depth: number; keyOffset: number; valueOffset: number };

function find(document: Document, path: readonly (string | number)[]): Found {
  let node: unknown = document.contents;
  const found: Found = { depth: 0, keyOffset: 0, valueOffset: 0 };
  for (const part of path) {
    const next = enterNode(isAlias(node) ? node.resolve(document) : node, part);
    if (next === undefined) break;
    node = next.value;
    found.depth += 1;
    found.keyOffset = startOfNode(next.key) ?? found.keyOffset;
    found.valueOffset = startOfNode(next.value) ?? found.keyOffset;
  }
  return found;
}
