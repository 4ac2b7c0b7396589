import type { BulkItem } from '../../schema/work-file.ts';

/** The prompt of each file: one text for all, or a template with {file}, {dir} and {name}. */
export type ItemPrompt = { prompt: string } | { template: string };

const LONGEST_ID = 90;

/** The title of an item: its file, and the first paragraph of its prompt, without the details that follow. */
export function itemTitle({ files, prompt }: Pick<BulkItem, 'files' | 'prompt'>): string {
  return files.length === 1 ? `${files[0]}: ${firstParagraph(prompt)}` : firstParagraph(prompt);
}

export function firstParagraph(text: string): string {
  return text.trim().split(/\n\s*\n/, 1)[0] ?? text;
}

/** An item for each file, in the order of the files; ids are made of the paths, safe and unique. */
export function itemsFor(files: readonly string[], given: ItemPrompt): BulkItem[] {
  const usedIds = new Set<string>();
  return files.map((file) => {
    const preferred = idOf(file);
    let id = preferred;
    for (let copy = 2; usedIds.has(id); copy += 1) id = `${preferred}-${copy}`;
    usedIds.add(id);
    return { id, prompt: 'prompt' in given ? given.prompt : filled(given.template, file), files: [file] };
  });
}

/** Items as a file of them is written: one JSON object a line, which `run` reads again. */
export function bulkText(items: readonly BulkItem[]): string {
  return items.map((item) => `${JSON.stringify(lineOf(item))}\n`).join('');
}

function lineOf(item: BulkItem): Record<string, unknown> {
  const { id, prompt, files, check, timeoutSeconds, attempts, priority, bucket, requirePatterns, sideFiles } = item;
  return {
    id,
    prompt,
    ...(files.length === 0 ? {} : { files }),
    ...(check === undefined ? {} : { check }),
    ...(timeoutSeconds === undefined ? {} : { timeout: timeoutSeconds }),
    ...(attempts === undefined ? {} : { attempts }),
    ...(priority === undefined ? {} : { priority }),
    ...(bucket === undefined ? {} : { bucket }),
    ...(requirePatterns === undefined ? {} : { require_patterns: requirePatterns }),
    ...(sideFiles === undefined ? {} : { allowed_side_files: sideFiles }),
  };
}

function idOf(file: string): string {
  const name = file
    .replaceAll(/[^\p{L}\p{M}\p{N}._-]+/gu, '.')
    .replaceAll(/\.{2,}/g, '.')
    .slice(-LONGEST_ID)
    .replace(/^[^\p{L}\p{N}_]+/u, '');
  return name === '' ? 'file' : name;
}

function filled(template: string, file: string): string {
  const slash = file.lastIndexOf('/');
  const parts: Record<string, string> = {
    file,
    dir: slash < 0 ? '.' : file.slice(0, slash),
    name: file.slice(slash + 1),
  };
  return template.replaceAll(/\{(file|dir|name)\}/g, (whole, key: string) => parts[key] ?? whole);
}
