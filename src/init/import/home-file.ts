import { join } from 'node:path';
import { readConfigText } from '../../config/files.ts';
import { isPlain, type Plain, valueAt } from '../../config/merge.ts';
import type { ImportEntry } from '../init-document.ts';
import { type ForeignFile, parseForeign } from './foreign-file.ts';
import { HOME_FORMATS, type HomeFormat } from './formats.ts';

/** A file that a tool keeps for all projects of a person, without the keys that the project itself sets, which are listed in `hidden`. */
export type HomeFile = { found: ForeignFile; format: HomeFormat; hidden: ImportEntry[] };

/** Reads those of the person's home; the settings of a project take precedence, as in the tool. */
export async function homeFiles(env: NodeJS.ProcessEnv, project: readonly ForeignFile[]): Promise<HomeFile[]> {
  const all: HomeFile[] = [];
  for (const format of HOME_FORMATS) {
    const text = env.HOME === undefined ? undefined : await readConfigText(join(env.HOME, format.file));
    if (text === undefined) continue;
    const found = parseForeign(`~/${format.file}`, text, format.syntax);
    all.push(belowProject({ found, format }, project.find(({ file }) => file === format.below)?.value ?? {}));
  }
  return all;
}

function belowProject({ found, format }: Omit<HomeFile, 'hidden'>, above: Plain): HomeFile {
  const keys = format.keys.map(({ key }) => key);
  const isInProject = (value: unknown, key: string) => valueAt(value, key.split('.')) !== undefined;
  const twice = keys.filter((key) => isInProject(found.value, key) && isInProject(above, key));
  const value = twice.reduce<Plain>((rest, key) => without(rest, key.split('.')), found.value);
  const note = `${format.below} sets it for this project`;
  return {
    found: { ...found, value },
    format,
    hidden: twice.map((key) => ({ file: found.file, key, fate: 'ignored', to: null, note })),
  };
}

function without(value: Plain, [first = '', ...rest]: readonly string[]): Plain {
  const { [first]: inner, ...others } = value;
  return rest.length === 0 || !isPlain(inner) ? others : { ...others, [first]: without(inner, rest) };
}
