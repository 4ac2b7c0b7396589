import { type Document, isAlias, isNode, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { enterNode, startOfNode } from '../config/yaml-node.ts';
import { messageOf } from '../errors.ts';
import type { InputErrors } from './input-errors.ts';
import type { Path, Source } from './source.ts';

const MAX_ALIASES = 50;
const MAX_DEPTH = 100;

/** Reads YAML; duplicate keys, alias bombs, `__proto__`, unknown tags and deep nesting are refused. */
export function readYaml(text: string, errors: InputErrors): Source | undefined {
  const lines = new LineCounter();
  const locationAt = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const refuse = (reason: string, offset = 0): undefined => {
    errors.add({ code: 'syntax_error', reason, ...locationAt(offset) });
  };
  try {
    const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false, prettyErrors: false });
    const broken = [...document.errors, ...document.warnings];
    for (const { pos, message } of firstOfEachLine(broken, locationAt)) refuse(messageFor(message), pos[0]);
    if (broken.length > 0 || findForbidden(document, refuse)) return undefined;
    return {
      value: document.toJS({ maxAliasCount: MAX_ALIASES }),
      locate: (path, about) => locationAt(offsetOf(document, path, about ?? 'value')),
    };
  } catch (error) {
    const reason = error instanceof RangeError ? `nested deeper than ${MAX_DEPTH} levels` : messageOf(error);
    return refuse(`${reason}; at most ${MAX_ALIASES} uses of an alias and ${MAX_DEPTH} levels are allowed`);
  }
}

/** One error causes more of them in its line. */
function firstOfEachLine<T extends { pos: readonly [number, number] }>(
  broken: readonly T[],
  locationAt: (offset: number) => { line: number },
): T[] {
  return [...Map.groupBy(broken, ({ pos }) => locationAt(pos[0]).line).values()].flatMap((errors) => errors[0] ?? []);
}

function messageFor(message: string): string {
  return message.includes('call stack') ? `nested deeper than ${MAX_DEPTH} levels` : `not valid YAML: ${message}`;
}

function findForbidden(document: Document, refuse: (reason: string, offset?: number) => void): boolean {
  let found = false;
  const report = (reason: string, offset: number | undefined) => {
    found = true;
    refuse(reason, offset);
  };
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<string>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        if (seen.has(name)) report(`the key ${JSON.stringify(name.slice(0, 60))} is duplicated`, key.range?.[0]);
        seen.add(name);
      }
    },
    Pair: (_, { key }) => {
      if (isScalar(key) && key.value === '__proto__') report('the key __proto__ is not allowed', key.range?.[0]);
      else if (isNode(key) && !isScalar(key)) report('a key must be a text', key.range?.[0]);
    },
    Collection: (_, node, path) => {
      if (path.length <= MAX_DEPTH * 2) return undefined;
      report(`nested deeper than ${MAX_DEPTH} levels`, node.range?.[0]);
      return visit.BREAK;
    },
  });
  return found;
}

function offsetOf(document: Document, path: Path, about: 'key' | 'value'): number {
  let node: unknown = document.contents;
  let offset = startOfNode(node) ?? 0;
  for (const [index, part] of path.entries()) {
    const next = enterNode(isAlias(node) ? node.resolve(document) : node, part);
    if (next === undefined) break;
    node = next.value;
    const asKey = startOfNode(next.key) ?? offset;
    offset = about === 'key' && index === path.length - 1 ? asKey : (startOfNode(next.value) ?? asKey);
  }
  return offset;
}
