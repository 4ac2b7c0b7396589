import { basename, extname } from 'node:path';
import type { ReadOptions } from '../recipes/recipe-work-file.ts';
import { workFormats } from '../recipes/registry.ts';
import { type WorkFile, WorkFile as WorkFileSchema, WorkFormat } from '../schema/work-file.ts';
import type { Reading } from './checked.ts';
import { InputErrors } from './input-errors.ts';
import { InputNotes } from './input-notes.ts';
import { readJson } from './json-source.ts';
import { formatOf, type Syntax, syntaxOf } from './recognise.ts';
import { readCsv, readJsonLines } from './row-source.ts';
import { isRecord, type Source } from './source.ts';
import { readToml } from './toml-source.ts';
import { readYaml } from './yaml-source.ts';

/** What is known beforehand; nothing of it is needed. */
export type WorkOptions = Partial<Omit<ReadOptions, 'name'>> & {
  /** The format, when it is not to be judged by the content. */
  format?: WorkFormat | undefined;
};

/** Reading YAML takes seconds for each megabyte. */
const LONGEST_YAML = 2_000_000;
/** The sections of other tools' settings; no work file has two of them. */
const SETTINGS_KEYS = new Set(
  'orchestrator claude codex routing checkpoint git worktree_dir mcps workflow tools agent review project baseBranch featuresFile worktree verification browser'.split(
    ' ',
  ),
);
const FORMATS = WorkFormat.options.join(', ');

/** Reads the text of a work file; all its errors are reported at once, with file, line, column and reason. */
export function parseWork(text: string, name: string, options: WorkOptions = {}): WorkFile {
  const errors = new InputErrors(name);
  if (text.trim() === '') return refuse(errors, 'the file is empty');
  const given = options.format === undefined ? undefined : entryOf(options.format);
  const syntax = given !== undefined && 'readText' in given.reader ? 'markdown' : syntaxOf(text, name);
  if (syntax === undefined) return refuse(errors, `not recognised; say what it is with --format: ${FORMATS}`);
  const readOptions = { ...options, name: basename(name, extname(name)) || name };
  if (syntax === 'markdown') return parseProse(text, { ...readOptions, shown: name }, errors);
  if ((syntax === 'yaml' || syntax === 'toml') && text.length > LONGEST_YAML) {
    errors.add({
      code: 'too_large',
      reason: `a file in ${syntax.toUpperCase()} has at most ${LONGEST_YAML} characters`,
    });
    errors.fail();
  }
  const source = readSource(text, syntax, errors);
  // The lines of a list are read one by one: what is wrong in one of them does not hide the errors of the others.
  if (syntax !== 'jsonl' || !isFilled(source)) errors.refuse();
  if (source === undefined) return refuse(errors, 'the file holds nothing');
  const entry = given ?? formatOf(syntax, source.value);
  if (entry === undefined || 'readText' in entry.reader) {
    errors.refuse();
    const reason = 'not recognised: there is no list of features, tasks or nodes in it';
    if (isSettings(source.value)) {
      const advice =
        'it looks like the settings of another tool, which manyhands init --import reads in its usual place';
      return refuse(errors, `${reason}; ${advice}`);
    }
    return refuse(errors, `${reason}; say what it is with --format: ${FORMATS}`);
  }
  const reading: Reading = { source, errors, notes: new InputNotes(errors.file) };
  const { input, options: found = {} } = entry.reader.read(reading, readOptions);
  errors.refuse();
  return WorkFileSchema.parse({
    format: entry.reader.format,
    recipe: entry.recipe,
    input,
    options: found,
    notes: reading.notes.lines(),
  });
}

function isFilled(source: Source | undefined): boolean {
  return Array.isArray(source?.value) && source.value.length > 0;
}

function isSettings(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).filter((key) => SETTINGS_KEYS.has(key)).length > 1;
}

function parseProse(
  text: string,
  options: WorkOptions & { name: string; shown: string },
  errors: InputErrors,
): WorkFile {
  const entry = workFormats().find(({ reader }) => 'readText' in reader);
  if (entry === undefined || !('readText' in entry.reader)) return refuse(errors, 'no recipe reads prose');
  const { format } = entry.reader;
  if (options.format !== undefined && options.format !== format) {
    return refuse(errors, `this is a text and cannot be read as ${options.format}`);
  }
  const input = entry.reader.readText(text, options, errors);
  errors.refuse();
  const doubt = options.format === undefined ? entry.reader.doubt?.(input, options.shown) : undefined;
  const notes = doubt === undefined ? [] : [`This may not be a to-do list: ${doubt}.`];
  return WorkFileSchema.parse({ format, recipe: entry.recipe, input, notes, options: {} });
}

function entryOf(format: WorkFormat): ReturnType<typeof workFormats>[number] | undefined {
  return workFormats().find(({ reader }) => reader.format === format);
}

function refuse(errors: InputErrors, reason: string): never {
  errors.add({ code: 'unknown_format', reason });
  return errors.fail();
}

function readSource(text: string, syntax: Exclude<Syntax, 'markdown'>, errors: InputErrors): Source | undefined {
  switch (syntax) {
    case 'json':
      return readJson(text, errors);
    case 'jsonl':
      return readJsonLines(text, errors);
    case 'csv':
      return readCsv(text, errors);
    case 'yaml':
      return readYaml(text, errors);
    case 'toml':
      return readToml(text, errors);
  }
}
