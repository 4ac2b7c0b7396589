import { isSchema } from '../../ui/form/json-schema.ts';
import { durationText } from '../../ui/form/parse-input.ts';
import type { Recipe } from './start-request.ts';

type Values = Readonly<Record<string, unknown>>;
type FlagForms = NonNullable<Recipe['command']>['flags'];
type StartInput = { recipe: Pick<Recipe, 'command'>; dir: string; input: Values; options: Values; file?: string };

/** The equivalent command, and the values that have no flag. */
export type CommandLine = { command: string; withoutFlag: readonly string[] };

/** In the notation of `list-recipes`: the options of every recipe, and the input beside a work file. */
export const OPTION_FLAGS: FlagForms = {
  agents: '--agent {}',
  checks: '--check {}',
  land: '--land {}',
  budget: '--budget {}',
  until: '--until {time}',
  maxIterations: '--max-iterations {}',
  base: '--base {}',
  repairBase: '--repair-base',
  knownRed: '--known-red',
  rehearse: '--rehearse',
  scenario: '--scenario {}',
  maxParallel: '--max-parallel {}',
  labels: '--label {}',
  title: '--title {}',
  collection: '--collection {}',
};
export const FILE_FLAGS: FlagForms = { only: '--only {,}', execute: '--execute', maxParallel: '--max-parallel {}' };

/** The command that starts the same run; undefined if the recipe needs a work file. */
export function commandLineOf({ recipe, dir, input, options, file }: StartInput): CommandLine | undefined {
  const command = file === undefined ? recipe.command : { name: 'run', flags: FILE_FLAGS };
  if (command === undefined) return undefined;
  const { [command.text ?? '']: text, ...rest } = input;
  const own = flagsFor(rest, command.flags);
  const shared = flagsFor(options, OPTION_FLAGS);
  const positional = file ?? (text === undefined ? undefined : String(text));
  const words = ['mh', command.name, ...(positional === undefined ? [] : [positional]), ...own.words, ...shared.words];
  if (dir !== '') words.push('--dir', dir);
  return { command: words.map(quoted).join(' '), withoutFlag: [...own.withoutFlag, ...shared.withoutFlag] };
}

/** A value has a flag, or values inside of it have flags. */
function flagsFor(values: Values, flags: FlagForms): { words: string[]; withoutFlag: string[] } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  const paths = Object.keys(flags);
  return {
    words: Object.entries(flags).flatMap(([path, form]) => wordsFor(form, valueAt(values, path))),
    withoutFlag: entries
      .map(([key]) => key)
      .filter((key) => !paths.some((path) => path === key || path.startsWith(`${key}.`))),
  };
}

function valueAt(values: Values, path: string): unknown {
  let value: unknown = values;
  for (const key of path.split('.')) value = isSchema(value) ? value[key] : undefined;
  return value;
}

function wordsFor(form: string, value: unknown): string[] {
  if (value === undefined) return [];
  const words = form.split(' ');
  const fill = (placeholder: string, text: string) => words.map((word) => word.replace(placeholder, () => text));
  if (form.includes('{key}')) {
    const pairs = Object.entries(isSchema(value) ? value : {});
    return pairs.flatMap(([key, each]) => words.map((word) => word.replace('{key}={}', () => `${key}=${each}`)));
  }
  if (form.includes('{,}')) return fill('{,}', Array.isArray(value) ? value.join(',') : String(value));
  if (form.includes('{time}')) return fill('{time}', timeText(value));
  if (form.includes('{duration}')) return fill('{duration}', durationText(value).replaceAll(' ', ''));
  if (form.includes('{}')) return (Array.isArray(value) ? value : [value]).flatMap((each) => fill('{}', String(each)));
  return value === true ? words : [];
}

/** What was entered is not yet validated. */
function timeText(value: unknown): string {
  const date = new Date(Number(value));
  return Number.isNaN(date.getTime()) ? String(value) : date.toISOString();
}

/** Quotes a word for a POSIX shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
