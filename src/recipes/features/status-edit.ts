import { type Node, type ParseError, parseTree } from 'jsonc-parser';
import type { FeatureStatus } from '../../schema/work-file.ts';

type Edit = { offset: number; length: number; text: string };

/** What some editors put before a text. */
const MARK = '\uFEFF';

/** The text with other statuses and not one other character changed, and which could not be set; or why nothing can be done. */
export function withStatuses(
  text: string,
  changes: ReadonlyMap<string, FeatureStatus>,
): { ok: true; text: string; unset: string[] } | { ok: false; reason: string } {
  const errors: ParseError[] = [];
  if (text.startsWith(MARK)) {
    const rest = withStatuses(text.slice(MARK.length), changes);
    return rest.ok ? { ...rest, text: MARK + rest.text } : rest;
  }
  const root = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  const list = errors.length > 0 || root === undefined ? undefined : listOf(root);
  if (list === undefined) return { ok: false, reason: 'it is no longer a list of features' };
  const edits: Edit[] = [];
  const unset: string[] = [];
  for (const [id, status] of changes) {
    const found = list.filter((feature) => idOf(feature) === id);
    const [feature] = found;
    const edit = feature === undefined || found.length > 1 ? undefined : editOf(text, feature, status);
    if (feature === undefined) unset.push(`feature ${id} is gone`);
    else if (found.length > 1) unset.push(`feature ${id} is duplicated`);
    else if (edit === 'impossible') unset.push(`the status of feature ${id} is not a text`);
    else if (edit !== undefined) edits.push(edit);
  }
  return { ok: true, text: applied(text, edits), unset };
}

function listOf(root: Node): Node[] | undefined {
  const list = root.type === 'array' ? root : propertyOf(root, 'features')?.value;
  if (list?.type !== 'array') return undefined;
  return (list.children ?? []).filter(({ type }) => type === 'object');
}

function idOf(feature: Node): string | undefined {
  const id: unknown = propertyOf(feature, 'id')?.value.value;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}

function propertyOf(object: Node, name: string): { key: Node; value: Node } | undefined {
  for (const property of object.children ?? []) {
    const [key, value] = property.children ?? [];
    if (key?.value === name && value !== undefined) return { key, value };
  }
  return undefined;
}

function editOf(text: string, feature: Node, status: FeatureStatus): Edit | 'impossible' | undefined {
  const property = propertyOf(feature, 'status');
  if (property === undefined) return addition(text, feature, status);
  const { type, value, offset, length } = property.value;
  if (value === status) return undefined;
  if (type !== 'string' && type !== 'null') return 'impossible';
  return { offset, length, text: JSON.stringify(status) };
}

/** A status where there was none, spaced like the properties before it. */
function addition(text: string, feature: Node, status: FeatureStatus): Edit | undefined {
  const properties = feature.children ?? [];
  const last = properties.at(-1);
  const [key, value] = last?.children ?? [];
  if (last === undefined || key === undefined || value === undefined) return undefined;
  const before = properties.at(-2);
  const from = before === undefined ? feature.offset + 1 : before.offset + before.length;
  const space = /[ \t\r\n]*$/.exec(text.slice(from, last.offset))?.[0] ?? '';
  const colon = text.slice(key.offset + key.length, value.offset);
  return { offset: last.offset + last.length, length: 0, text: `,${space}"status"${colon}${JSON.stringify(status)}` };
}

function applied(text: string, edits: readonly Edit[]): string {
  let result = text;
  for (const { offset, length, text: inserted } of edits.toSorted((a, b) => b.offset - a.offset)) {
    result = result.slice(0, offset) + inserted + result.slice(offset + length);
  }
  return result;
}
