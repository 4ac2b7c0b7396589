import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Document, isMap, isSeq, parseDocument, type YAMLSeq } from 'yaml';
import { findProjectRoot } from '../config/files.ts';
import { writeWhole } from '../config/write.ts';
import { AppError, fromSystemError } from '../errors.ts';
import { parseLocatedYaml } from '../roles/located-yaml.ts';
import { Batch, type BatchDocument, type BatchItem } from '../schema/batch.ts';
import { nearest } from '../schema/nearest.ts';
import { listNamed, type NamedFiles, readNamed, requireName } from './named-files.ts';

/** The settings of a batch as a whole. */
export type BatchSettings = Partial<Pick<Batch, 'summary' | 'template' | 'parallel' | 'context'>>;

/** A batch with its name and file. */
export type NamedBatch = Batch & { name: string; file: string };

/** The batches of the project around a folder. */
export async function batchFiles(dir: string): Promise<NamedFiles> {
  const root = await findProjectRoot(dir);
  if (root === undefined) throw new AppError('NOT_A_REPOSITORY', `${dir} is in no repository, so it has no batches`);
  return { folder: join(root, '.manyhands', 'batches'), ending: '.yaml', errorCode: 'BATCH_INVALID' };
}

/** The batch of that name; errors in its file are reported with their lines. */
export async function loadBatch(files: NamedFiles, name: string): Promise<NamedBatch> {
  const found = await readNamed(files, name);
  if (found !== undefined) return { ...parse(found.text, found.file), name, file: found.file };
  const known = await listNamed(files);
  const suggested = nearest(name, known);
  const suggestion = suggested === undefined ? '' : ` Did you mean ${suggested}?`;
  const all = known.length === 0 ? 'There is none yet' : `Known batches: ${known.join(', ')}`;
  throw new AppError('BATCH_UNKNOWN', `There is no batch "${name}".${suggestion} ${all}`, { name, known });
}

/** Adds items to the end of a batch, which is created if it is missing; the rest of its file stays unchanged. */
export async function addToBatch(
  files: NamedFiles,
  name: string,
  more: { items: readonly (string | BatchItem)[]; settings: BatchSettings },
): Promise<NamedBatch> {
  const file = join(files.folder, `${requireName(files, name)}${files.ending}`);
  const before = (await readNamed(files, name))?.text;
  return rewrite({ name, file, before }, (document, items) => {
    for (const [key, value] of Object.entries(more.settings)) document.set(key, document.createNode(value));
    for (const item of more.items) items.add(document.createNode(item));
  });
}

/** A change of one item, by its position from 1. */
export type BatchEdit = {
  item: number;
  /** Its prompt as the caller knows it. */
  was: string;
  change: { kind: 'text'; prompt: string; title: string | null } | { kind: 'move'; to: number } | { kind: 'remove' };
};

/** Changes one item of a batch, unless its file has another prompt there by now; the rest of the file stays unchanged. */
export async function editBatch(
  files: NamedFiles,
  name: string,
  { item, was, change }: BatchEdit,
): Promise<NamedBatch> {
  const batch = await loadBatch(files, name);
  if (batch.items[item - 1]?.prompt !== was)
    throw new AppError('REFUSED', `Item ${item} of ${batch.file} has changed; load the page again`, { item });
  const before = (await readNamed(files, name))?.text;
  return rewrite({ name, file: batch.file, before }, (document, items) => {
    const [node] = items.items.splice(item - 1, 1);
    if (change.kind === 'move') items.items.splice(change.to - 1, 0, node);
    if (change.kind !== 'text') return;
    const texts = { prompt: change.prompt, ...(change.title === null ? {} : { title: change.title }) };
    if (!isMap(node)) {
      items.items.splice(item - 1, 0, document.createNode(change.title === null ? change.prompt : texts));
      return;
    }
    node.delete('title');
    for (const [key, value] of Object.entries(texts)) node.set(key, value);
    items.items.splice(item - 1, 0, node);
  });
}

type BatchText = { name: string; file: string; before: string | undefined };

/** Writes the file of a batch with a change, if both the old and the new content are valid. */
async function rewrite(
  { name, file, before }: BatchText,
  change: (document: Document, items: YAMLSeq) => void,
): Promise<NamedBatch> {
  if (before !== undefined) parse(before, file);
  const document: Document = parseDocument(before ?? '{}\n');
  if (before === undefined) document.contents = document.createNode({ items: [] });
  const items = document.get('items');
  if (!isSeq(items)) throw new AppError('BATCH_INVALID', `${file}:1: items must be a list`, { file });
  change(document, items);
  const text = document.toString({ lineWidth: 0 });
  const batch = parse(text, file);
  await writeWhole(file, text);
  return { ...batch, name, file };
}

/** Removes the file of a batch and gives its path; the runs that came of it stay. */
export async function removeBatch(files: NamedFiles, name: string): Promise<string> {
  const found = await readNamed(files, name);
  if (found === undefined) throw new AppError('BATCH_UNKNOWN', `There is no batch "${name}"`, { name });
  await rm(found.file).catch((error: unknown) => {
    throw fromSystemError(error, `removing ${found.file}`);
  });
  return found.file;
}

/** A batch as it is shown: every item with all that holds for it. */
export function batchDocument({ name, file, summary, template, parallel, context, items }: NamedBatch): BatchDocument {
  return {
    name,
    file,
    summary: summary ?? null,
    template: template ?? null,
    parallel,
    context,
    items: items.map((item) => ({
      prompt: item.prompt,
      title: item.title ?? null,
      template: item.template ?? template ?? null,
      context: { ...context, ...item.context },
    })),
  };
}

function parse(text: string, file: string): Batch {
  return parseLocatedYaml(text, Batch, { file, code: 'BATCH_INVALID' });
}
