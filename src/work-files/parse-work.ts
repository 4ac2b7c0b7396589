import { basename, extname } from 'node:path';
import { readBulk } from '../recipes/bulk/bulk-file.ts';
import { readFeatures } from '../recipes/features/features-file.ts';
import { readTasks } from '../recipes/tasks/tasks-file.ts';
import { readTodo } from '../recipes/todo/todo-file.ts';
import { readDag } from '../recipes/workflow/dag-file.ts';
import { readWorkflow } from '../recipes/workflow/workflow-file.ts';
import { type WorkFile, WorkFile as WorkFileSchema, WorkFormat } from '../schema/work-file.ts';
import type { Reading } from './checked.ts';
import { InputErrors } from './input-errors.ts';
import { readJson } from './json-source.ts';
import { formatOf, type Syntax, syntaxOf } from './recognise.ts';
import { readCsv, readJsonLines } from './row-source.ts';
import type { Source } from './source.ts';
import { readToml } from './toml-source.ts';
import { readYaml } from './yaml-source.ts';

/** What is known beforehand; nothing of it is needed. */
export type WorkOptions = {
  /** The format, when it is not to be judged by the content. */
  format?: WorkFormat | undefined;
  /** The roles of the project; without them the names of roles are not checked. */
  roles?: readonly string[] | undefined;
  /** The folder of the project. */
  root?: string | undefined;
  /** The file relative to the project, where status can be written back. */
  file?: string | undefined;
  /** What lines of bulk work ask for that say nothing themselves. */
  prompt?: string | undefined;
};

type Understood = Pick<WorkFile, 'options'> & { recipe: WorkFile['recipe']; input: WorkFile['input'] };

const MOST_NOTES = 20;
/** Reading YAML takes seconds for each megabyte. */
const LONGEST_YAML = 2_000_000;
const FORMATS = WorkFormat.options.join(', ');

/** Understands the text of a work file; all that is wrong with it is told at once, with file, line, column and reason. */
export function parseWork(text: string, name: string, options: WorkOptions = {}): WorkFile {
  const mistakes = new InputErrors(name);
  if (text.trim() === '') return refuse(mistakes, 'the file is empty');
  const syntax = options.format === 'todo' ? 'markdown' : syntaxOf(text, name);
  if (syntax === undefined) return refuse(mistakes, `not recognised; say what it is with --format: ${FORMATS}`);
  if (syntax === 'markdown') {
    if (options.format !== undefined && options.format !== 'todo') {
      return refuse(mistakes, `this is a text and cannot be read as ${options.format}`);
    }
    const input = readTodo(text, options.file ?? null, mistakes);
    mistakes.refuse();
    return WorkFileSchema.parse({ format: 'todo', recipe: 'todo', input, notes: [], options: {} });
  }
  if ((syntax === 'yaml' || syntax === 'toml') && text.length > LONGEST_YAML) {
    mistakes.add({
      code: 'too_large',
      reason: `a file in ${syntax.toUpperCase()} has at most ${LONGEST_YAML} characters`,
    });
    mistakes.fail();
  }
  const source = readSource(text, syntax, mistakes);
  mistakes.refuse();
  if (source === undefined) return refuse(mistakes, 'the file holds nothing');
  const format = options.format ?? (syntax === 'jsonl' || syntax === 'csv' ? 'bulk' : formatOf(source.value));
  if (format === undefined) {
    const reason = 'not recognised: there is no list of features, tasks or nodes in it; say what it is with --format';
    return refuse(mistakes, `${reason}: ${FORMATS}`);
  }
  const reading: Reading = { source, mistakes, notes: new Set() };
  const understood = understand(reading, { ...options, format, name: basename(name, extname(name)) || name });
  mistakes.refuse();
  return WorkFileSchema.parse({ format, ...understood, notes: fewNotes([...reading.notes]) });
}

function fewNotes(notes: readonly string[]): string[] {
  if (notes.length <= MOST_NOTES) return [...notes];
  return [...notes.slice(0, MOST_NOTES), `There are ${notes.length - MOST_NOTES} more notes of this kind.`];
}

function refuse(mistakes: InputErrors, reason: string): never {
  mistakes.add({ code: 'unknown_format', reason });
  return mistakes.fail();
}

function readSource(text: string, syntax: Exclude<Syntax, 'markdown'>, mistakes: InputErrors): Source | undefined {
  switch (syntax) {
    case 'json':
      return readJson(text, mistakes);
    case 'jsonl':
      return readJsonLines(text, mistakes);
    case 'csv':
      return readCsv(text, mistakes);
    case 'yaml':
      return readYaml(text, mistakes);
    case 'toml':
      return readToml(text, mistakes);
  }
}

function understand(reading: Reading, options: WorkOptions & { format: WorkFormat; name: string }): Understood {
  const { root, prompt, name } = options;
  switch (options.format) {
    case 'features':
      return { recipe: 'features', input: readFeatures(reading, options.file ?? null), options: {} };
    case 'bulk':
      return {
        recipe: 'bulk',
        input: readBulk(reading, {
          ...(root === undefined ? {} : { root }),
          ...(prompt === undefined ? {} : { prompt }),
        }),
        options: {},
      };
    case 'tasks':
      return { recipe: 'tasks', ...readTasks(reading) };
    case 'workflow': {
      const input = readWorkflow(reading, { name, roles: options.roles });
      return { recipe: 'workflow', input, options: { title: input.name } };
    }
    case 'dag':
      return { recipe: 'workflow', ...readDag(reading, { name }) };
    case 'todo':
      return refuse(reading.mistakes, 'a to-do list is a text');
  }
}
