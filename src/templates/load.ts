import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProjectRoot } from '../config/files.ts';
import { AppError } from '../errors.ts';
import { configHome } from '../home.ts';
import { nearest } from '../schema/nearest.ts';
import type { Template, TemplateOrigin } from '../schema/template.ts';
import { listNamed, type NamedFiles, readNamed } from './named-files.ts';
import { parseTemplateFile } from './parse.ts';

/** Folders of templates; one that comes first hides what those after it have of the same name. */
export type TemplateSources = (NamedFiles & { from: TemplateOrigin; root?: string })[];

/** Where templates are found from a folder: its project, the person's own settings, the built-in ones. */
export async function templateSources(env: NodeJS.ProcessEnv, dir: string): Promise<TemplateSources> {
  const root = await findProjectRoot(dir);
  return [
    ...(root === undefined
      ? []
      : [{ from: 'project' as const, root, ...markdown(join(root, '.manyhands', 'templates')) }]),
    { from: 'global', ...markdown(join(configHome(env), 'templates')) },
    { from: 'built-in', ...markdown(templatesFolder()) },
  ];
}

/** The template of that name. */
export async function loadTemplate(name: string, sources: TemplateSources): Promise<Template> {
  for (const { from, root, ...files } of sources) {
    const found = await readNamed(files, name);
    if (found === undefined) continue;
    const source = { name, file: found.file, from, ...(root === undefined ? {} : { root }) };
    return parseTemplateFile(found.text, source);
  }
  const known = await templateNames(sources);
  const suggested = nearest(name, known);
  const suggestion = suggested === undefined ? '' : ` Did you mean ${suggested}?`;
  throw new AppError(
    'TEMPLATE_UNKNOWN',
    `There is no template "${name}".${suggestion} Known templates: ${known.join(', ')}`,
    { name, known },
  );
}

/** Every template that can be loaded, by name; those that cannot are listed with their errors. */
export async function listTemplates(sources: TemplateSources): Promise<{ templates: Template[]; mistakes: string[] }> {
  const templates: Template[] = [];
  const mistakes: string[] = [];
  for (const name of await templateNames(sources)) {
    try {
      templates.push(await loadTemplate(name, sources));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'TEMPLATE_INVALID') throw error;
      mistakes.push(error.message);
    }
  }
  return { templates, mistakes };
}

/** The names of all templates, sorted. */
export async function templateNames(sources: TemplateSources): Promise<string[]> {
  const names = await Promise.all(sources.map(listNamed));
  return [...new Set(names.flat())].sort();
}

function markdown(folder: string): NamedFiles {
  return { folder, ending: '.md', errorCode: 'TEMPLATE_INVALID' };
}

/** The folder of the built-in templates: beside this file in the source, in `templates/` beside the bundle once built. */
function templatesFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  return existsSync(join(here, 'bugfix.md')) ? here : join(here, 'templates');
}
