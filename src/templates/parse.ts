import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { AppError } from '../errors.ts';
import { parseLocatedYaml } from '../roles/located-yaml.ts';
import { type Template, TemplateHeader, type TemplateOrigin } from '../schema/template.ts';

/** `root` is the project's folder, for a template of a project. */
export type TemplateSource = { name: string; file: string; from: TemplateOrigin; root?: string };

const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:\r?\n)?---[ \t]*(?:\r?\n|$)/;
const LONGEST_TEXT = 50_000;

/** Reads a template file; an error is reported with file, line and reason. Its text is kept verbatim: nothing in it is ever expanded. */
export function parseTemplateFile(content: string, source: TemplateSource): Template {
  const matter = FRONT_MATTER.exec(content);
  if (matter === null) refuse(source.file, 1, 'must begin with front matter between two lines of ---');
  const header = parseLocatedYaml(matter[1] ?? '', TemplateHeader, {
    file: source.file,
    code: 'TEMPLATE_INVALID',
    firstLine: 2,
  });
  if (header.name !== source.name)
    refuse(source.file, lineOf(content, 'name:'), `name: "${header.name}" is in the file of "${source.name}"`);
  const { dir, ...rest } = header;
  const text = content.slice(matter[0].length).trim();
  const line = matter[0].split('\n').length;
  if (text === '') refuse(source.file, line, 'there is no text below the front matter');
  if (text.length > LONGEST_TEXT) refuse(source.file, line, `the text is longer than ${LONGEST_TEXT} characters`);
  if (rest.write !== undefined && rest.role === undefined)
    refuse(source.file, lineOf(content, 'write:'), 'write: has no effect without role:');
  const folder = dir === undefined ? {} : { dir: resolveDir(dir, source, lineOf(content, 'dir:')) };
  return { ...rest, ...folder, text, from: source.from, file: source.file };
}

/** Whether a text has front matter of its own. */
export function hasFrontMatter(content: string): boolean {
  return FRONT_MATTER.test(content);
}

/** The project that jobs are for: a path of its own, one in the home folder, or one in the project that the template belongs to. */
function resolveDir(dir: string, { file, root }: TemplateSource, line: number): string {
  if (isAbsolute(dir)) return dir;
  if (dir === '~' || dir.startsWith('~/')) return join(homedir(), dir.slice(1));
  if (root !== undefined) return join(root, dir);
  return refuse(file, line, `dir: ${JSON.stringify(dir)} must be absolute or begin with ~/`);
}

function lineOf(content: string, key: string): number {
  const index = content.split('\n').findIndex((line) => line.startsWith(key));
  return index < 0 ? 2 : index + 1;
}

function refuse(file: string, line: number, reason: string): never {
  throw new AppError('TEMPLATE_INVALID', `${file}:${line}: ${reason}`, { file, line });
}
