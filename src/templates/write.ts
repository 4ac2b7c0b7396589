import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { writeWhole } from '../config/write.ts';
import { AppError, fromSystemError } from '../errors.ts';
import type { Template, TemplateHeader, TemplateOrigin } from '../schema/template.ts';
import type { TemplateSources } from './load.ts';
import { readNamed, requireName } from './named-files.ts';
import { hasFrontMatter, parseTemplateFile } from './parse.ts';

/** A template to be written: a whole file as it is, or a text to which the header is added. */
export type NewTemplate = {
  name: string;
  content: string;
  header: Partial<TemplateHeader>;
  scope: Exclude<TemplateOrigin, 'built-in'>;
  force: boolean;
};

/** Writes a template; it is parsed first, so that no invalid file is written. */
export async function writeTemplate(sources: TemplateSources, requested: NewTemplate): Promise<Template> {
  const { from, root, ...files } = sourceOf(sources, requested.scope);
  const name = requireName(files, requested.name);
  const file = join(files.folder, `${name}${files.ending}`);
  const text = hasFrontMatter(requested.content) ? requested.content : withHeader(requested);
  const template = parseTemplateFile(text, { name, file, from, ...(root === undefined ? {} : { root }) });
  if (!requested.force && (await readNamed(files, name)) !== undefined)
    throw new AppError('FILE_TAKEN', `There is a template "${name}" already: ${file}`, { name, file });
  await writeWhole(file, text.endsWith('\n') ? text : `${text}\n`);
  return template;
}

/** Removes a template's file and gives its path; the built-in ones stay. */
export async function removeTemplate(
  sources: TemplateSources,
  { name, scope }: { name: string; scope: NewTemplate['scope'] },
): Promise<string> {
  const files = sourceOf(sources, scope);
  const found = await readNamed(files, name);
  if (found === undefined)
    throw new AppError('TEMPLATE_UNKNOWN', `There is no template "${name}" in ${files.folder}`, { name });
  await rm(found.file).catch((error: unknown) => {
    throw fromSystemError(error, `removing ${found.file}`);
  });
  return found.file;
}

function sourceOf(sources: TemplateSources, scope: NewTemplate['scope']): TemplateSources[number] {
  const source = sources.find(({ from }) => from === scope);
  if (source !== undefined) return source;
  throw new AppError('NOT_A_REPOSITORY', 'Here is no repository to keep a template for; --global keeps it for all');
}

function withHeader({ name, content, header }: NewTemplate): string {
  const summary =
    header.summary ??
    content
      .trim()
      .split('\n')[0]
      ?.replace(/^#+\s*/, '')
      .slice(0, 200) ??
    '';
  return `---\n${stringify({ name, ...header, summary })}---\n${content.trim()}\n`;
}
