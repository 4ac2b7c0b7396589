import { isMap, isNode, isScalar, isSeq } from 'yaml';

/** The entry of a map or list of a YAML document that this part of a path leads to. */
export function enterNode(node: unknown, part: string | number): { key: unknown; value: unknown } | undefined {
  if (isSeq(node) && typeof part === 'number') {
    const value = node.items[part];
    return value === undefined ? undefined : { key: value, value };
  }
  if (!isMap(node)) return undefined;
  return node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
}

/** Where a node of a YAML document begins. */
export function startOfNode(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
