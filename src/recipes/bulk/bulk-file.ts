import { z } from 'zod';
import { shellWord } from '../../core/view/shell-word.ts';
import { promptText } from '../../roles/prompt.ts';
import { type BulkInput, type BulkItem, ProjectPath, WorkText } from '../../schema/work-file.ts';
import { checked, checkedKeys, noteUnusedKeys, type Reading, reportUnknownKeys } from '../../work-files/checked.ts';
import { checkGraph } from '../../work-files/graph-check.ts';
import { isRecord, type Path } from '../../work-files/source.ts';
import { plannedTitle, type ReadOptions, type RecipeWorkFile } from '../recipe-work-file.ts';
import { FileItem, OTHER_ITEM_KEYS, OUR_ITEM_KEYS } from './bulk-item.ts';
import { itemTitle } from './bulk-text.ts';

const PLACEHOLDER = /\{\{\s*([\p{L}\p{N}_.-]+)\s*\}\}/gu;

type Found = { path: Path; named: boolean; item: BulkItem };

type BulkDefaults = Pick<ReadOptions, 'prompt' | 'root'>;

const MAX_ENTRIES = 100_000;
const UNUSED_ITEM_KEYS = { item_type: 'every item is an edit of files' };
const AT_ONCE = 16;
const COLUMNS = ['prompt', 'instruction', 'template', 'target'];

/** Bulk work: one item a line, or a list of items. */
export const bulkWorkFile: RecipeWorkFile<BulkInput> = {
  formats: [
    {
      format: 'bulk',
      keys: [],
      columns: COLUMNS,
      matches: (content) => Array.isArray(content) && content.some(isItem),
      read: (reading, options) => ({ input: readBulk(reading, options) }),
    },
  ],
  noun: ['item', 'items'],
  includesNeeds: false,
  request: ({ input, options }, { config }) => {
    const maxParallel = options.maxParallel ?? Math.min(input.maxParallel, config.limits.agents);
    return { input, options: { ...options, maxParallel } };
  },
  ids: ({ items }) => items.map(({ id }) => id),
  plan: ({ items }) =>
    items.map(({ id, prompt, files, check, requirePatterns, labels }) => ({
      id,
      title: plannedTitle(itemTitle({ files, prompt })),
      role: 'bulk',
      needs: [],
      gates: ['syntax', ...(check ?? []), ...(requirePatterns ?? []).map((pattern) => `holds /${pattern}/`)],
      tasks: 1,
      ...(labels === undefined ? {} : { labels }),
    })),
};

function isItem(entry: unknown): boolean {
  return isRecord(entry) && COLUMNS.some((key) => key in entry);
}

/** Reads bulk work: one item a line, in our own format or another tool's. Duplicate lines are done once. */
function readBulk(reading: Reading, defaults: BulkDefaults): BulkInput {
  const list =
    checked(reading, { path: [], value: reading.source.value }, z.array(z.unknown()).min(1).max(MAX_ENTRIES)) ?? [];
  const found = list.flatMap((row, index) => readRow(reading, { row, index, defaults }));
  checkGraph(
    reading,
    found.map(({ path, item }) => ({ id: item.id, needs: [], at: path, needsAt: path })),
    list,
  );
  return { items: withoutRepeats(reading, found), maxParallel: AT_ONCE };
}

function readRow(reading: Reading, at: { row: unknown; index: number; defaults: BulkDefaults }): Found[] {
  const { row, index, defaults } = at;
  const path = [index];
  const foreign = isRecord(row) && OTHER_ITEM_KEYS.some((key) => key in row);
  const keys = foreign ? [...OUR_ITEM_KEYS, ...OTHER_ITEM_KEYS] : OUR_ITEM_KEYS;
  const { known, extra } = split(row, keys);
  const isTemplate = isRecord(row) && row.template !== undefined;
  if (!isTemplate) reportUnknownKeys(reading, { path, value: row, known: keys, foreign });
  noteUnusedKeys(reading, { path, value: row }, { reasons: UNUSED_ITEM_KEYS });
  const fields = isRecord(row)
    ? checkedKeys(reading, { path, value: known }, FileItem)
    : checked(reading, { path, value: row }, FileItem);
  if (fields === undefined) return [];
  if (isTemplate) noteUnusedVariables(reading, { path, template: fields.template ?? '', extra });
  const hasPrompt = PROMPT_KEYS.some((key) => key in known);
  const prompt = promptOf(reading, path, { fields, extra: isTemplate ? extra : {}, defaults, hasPrompt });
  const files = filesOf(reading, path, { fields, root: defaults.root });
  if (prompt === undefined || files === undefined) return [];
  const id = fields.id ?? `line-${reading.source.locate(path).line}`;
  return [{ path, named: fields.id !== undefined, item: toItem(reading, { id, prompt, files, fields }) }];
}

function noteUnusedVariables(
  { source, notes }: Reading,
  { path, template, extra }: { path: Path; template: string; extra: Record<string, unknown> },
): void {
  const used = new Set([...template.matchAll(PLACEHOLDER)].map(([, name]) => name));
  for (const key of Object.keys(extra))
    if (!used.has(key))
      notes.addAt(source, [...path, key], `${key} is not used: no template refers to it as {{${key}}}.`);
}

function split(
  row: unknown,
  keys: readonly string[],
): { known: Record<string, unknown>; extra: Record<string, unknown> } {
  const entries = isRecord(row) ? Object.entries(row) : [];
  const isKnown = ([key]: [string, unknown]) => keys.includes(key);
  return {
    known: Object.fromEntries(entries.filter(isKnown)),
    extra: Object.fromEntries(entries.filter((entry) => !isKnown(entry))),
  };
}

const PROMPT_KEYS = ['prompt', 'template', 'instruction'] as const;
/** `hasPrompt` is also true for one of a wrong type, which is reported by then. */
type PromptInput = {
  fields: FileItem;
  extra: Record<string, unknown>;
  defaults: BulkDefaults;
  hasPrompt: boolean;
};

function promptOf(
  { source, errors }: Reading,
  path: Path,
  { fields, extra, defaults, hasPrompt }: PromptInput,
): string | undefined {
  const given = [fields.prompt, fields.template, fields.instruction].filter((text) => text !== undefined);
  if (given.length > 1) {
    errors.addAt(source, path, { code: 'invalid_value', reason: 'give one of prompt, template and instruction' });
    return undefined;
  }
  const text = given[0] ?? defaults.prompt;
  if (text === undefined) {
    const reason = 'missing; give a prompt, a template or an instruction';
    if (!hasPrompt) errors.addAt(source, path, { code: 'missing_field', reason });
    return undefined;
  }
  const filled =
    fields.template === undefined ? { text, missing: [] } : fillTemplate(text, { ...extra, ...fields.vars });
  if (filled.missing.length > 0) {
    const names = filled.missing.map((name) => `{{${name}}}`).join(', ');
    errors.addAt(source, [...path, 'template'], { code: 'missing_field', reason: `there is no value for ${names}` });
    return undefined;
  }
  const whole = WorkText.safeParse(withDetails(filled.text, fields.metadata));
  if (whole.success) return whole.data;
  const reason = `the whole prompt ${whole.error.issues[0]?.message ?? 'is not a text'}`;
  errors.addAt(source, path, { code: 'too_large', reason });
  return undefined;
}

function withDetails(text: string, details: Record<string, unknown> | undefined): string {
  const lines = Object.entries(details ?? {}).map(
    ([key, value]) => `- ${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return lines.length === 0
    ? text
    : promptText('recipes/bulk/item-details', { prompt: text, details: lines.join('\n') });
}

function filesOf(
  { source, errors }: Reading,
  path: Path,
  { fields, root }: { fields: FileItem; root: string | undefined },
): string[] | undefined {
  if (fields.target === undefined) return fields.files ?? [];
  const given = slashed(fields.target);
  const inside = root !== undefined && given.startsWith(`${root}/`);
  const target = ProjectPath.safeParse(inside ? given.slice(root.length + 1) : given.replace(/^(\.\/)+/, ''));
  if (target.success) return [...new Set([target.data, ...(fields.files ?? [])])];
  const reason = target.error.issues[0]?.message ?? 'must be a path inside the project';
  errors.addAt(source, [...path, 'target'], {
    code: 'invalid_value',
    reason: `found ${JSON.stringify(fields.target.slice(0, 60))}; ${reason}`,
  });
  return undefined;
}

/** Files that were written on Windows part their folders with backslashes. */
function slashed(path: string): string {
  return path.includes('/') ? path : path.replaceAll('\\', '/');
}

function toItem(
  { notes }: Reading,
  { id, prompt, files, fields }: { id: string; prompt: string; files: string[]; fields: FileItem },
): BulkItem {
  const check = fields.check ?? fields.verify_commands?.map((command) => filledCommand(command, files[0]));
  const timeoutSeconds = fields.timeout ?? fields.timeout_seconds;
  const attempts = fields.attempts ?? fields.max_attempts;
  const priority = fields.priority === undefined ? undefined : Math.max(-10, Math.min(10, fields.priority));
  if (priority !== fields.priority)
    notes.add('Priorities go from -10 to 10; those beyond count as the nearest of these.');
  return {
    id,
    prompt,
    files,
    ...(check === undefined ? {} : { check }),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    ...(attempts === undefined ? {} : { attempts }),
    ...(priority === undefined ? {} : { priority }),
    ...(fields.bucket === undefined ? {} : { bucket: fields.bucket }),
    ...(fields.labels === undefined ? {} : { labels: fields.labels }),
    ...(fields.require_patterns === undefined ? {} : { requirePatterns: fields.require_patterns }),
    ...(fields.allowed_side_files === undefined ? {} : { sideFiles: fields.allowed_side_files.map(slashed) }),
  };
}

/** A verify command with its placeholders replaced: {target} by the item's file, {python} by Python's usual name. */
function filledCommand(command: string, target: string | undefined): string {
  const named = command.replaceAll('{python}', 'python3');
  return target === undefined ? named : named.replaceAll('{target}', () => shellWord(target));
}

function withoutRepeats({ source, notes }: Reading, found: readonly Found[]): BulkItem[] {
  const seen = new Map<string, Found>();
  const kept: BulkItem[] = [];
  for (const entry of found) {
    const { id: _, ...content } = entry.item;
    const key = JSON.stringify(content);
    const before = entry.named ? undefined : seen.get(key);
    if (before === undefined) {
      kept.push(entry.item);
      if (!entry.named) seen.set(key, entry);
    } else {
      notes.add(
        `Line ${source.locate(entry.path).line} is the same as line ${source.locate(before.path).line} and is done once.`,
      );
    }
  }
  return kept;
}

/** Replaces each `{{name}}` by its value, once: values are never expanded again. Names without a value are returned. */
function fillTemplate(
  template: string,
  values: Readonly<Record<string, unknown>>,
): { text: string; missing: string[] } {
  const missing = new Set<string>();
  const text = template.replaceAll(PLACEHOLDER, (whole: string, name: string) => {
    if (Object.hasOwn(values, name)) return String(values[name]);
    missing.add(name);
    return whole;
  });
  return { text, missing: [...missing] };
}
