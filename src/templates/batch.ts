import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Document, isSeq, parseDocument } from 'yaml';
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
  if (before !== undefined) parse(before, file);
  const document: Document = parseDocument(before ?? '{}\n');
  if (before === undefined) document.contents = document.createNode({ items: [] });
  for (const [key, value] of Object.entries(more.settings)) document.set(key, document.createNode(value));
  const items = document.get('items');
  if (!isSeq(items)) throw new AppError('BATCH_INVALID', `${file}:1: items must be a list`, { file });
  for (const item of more.items) items.add(document.createNode(item));
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
