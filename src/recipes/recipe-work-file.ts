import { redactForms } from '../core/redact.ts';
import type { Config } from '../schema/config.ts';
import type { WorkFile, WorkFormat } from '../schema/work-file.ts';
import type { Reading } from '../work-files/checked.ts';
import type { InputErrors } from '../work-files/input-errors.ts';
import type { FileRequest, FileStart } from './file-request.ts';

/** A piece of work as it would be started: its role, what it waits for, and what must hold before it counts. */
export type PlannedWork = {
  id: string;
  title: string;
  role: string;
  needs: string[];
  gates: string[];
  agent?: string;
  /** Labels that its host must have. */
  labels?: string[];
  /** The track that it belongs to. */
  track?: string;
  /** How many attempts it takes if each of its tasks succeeds at once. */
  tasks: number;
};

/** What a reader knows besides the content. */
export type ReadOptions = {
  /** The name of the file without its extension. */
  name: string;
  /** The roles of the project; without them the names of roles are not checked. */
  roles?: readonly string[] | undefined;
  /** The folder of the project. */
  root?: string | undefined;
  /** The file relative to the project, where statuses can be written back. */
  file?: string | undefined;
  /** The prompt of items that have none. */
  prompt?: string | undefined;
};

/** A format whose content is data: how it is recognised, and how it is read. */
export type DataFormat<Input> = {
  readonly format: WorkFormat;
  /** Top-level keys by which a text is recognised as YAML of this format. */
  readonly keys: readonly string[];
  /** Column names by which a table, or one JSON object a line, is recognised as this format. */
  readonly columns?: readonly string[];
  matches(content: unknown): boolean;
  read(reading: Reading, options: ReadOptions): { input: Input; options?: WorkFile['options'] };
};

/** A format that is prose. */
export type TextFormat<Input> = {
  readonly format: WorkFormat;
  readText(text: string, options: ReadOptions, errors: InputErrors): Input;
  /** Why a text of that file name is probably not of this format, if it is not. */
  doubt?(input: Input, file: string): string | undefined;
};

/** The files that describe the work of a recipe. */
export interface RecipeWorkFile<Input> {
  readonly formats: readonly (DataFormat<Input> | TextFormat<Input>)[];
  /** What a piece of work is called: one, and several. */
  readonly noun: readonly [string, string];
  /** Whether selected work includes what it needs. */
  readonly includesNeeds: boolean;
  /** The ids by which pieces of work can be selected. */
  ids(input: Input): string[];
  /** Its pieces of work under these settings, in the order of the file. */
  plan(input: Input, config: Pick<Config, 'tracks'>): PlannedWork[];
  /** Its entries as lines, where they are not the pieces of work that it starts. */
  entries?(input: Input): string[];
  /** Its request, where the settings and the choices of the command line change it. */
  request?(request: FileRequest<Input>, start: FileStart): FileRequest<Input>;
}

const LONGEST_TITLE = 80;

/** A text as the title of planned work: one line, shortened. */
export function plannedTitle(text: string): string {
  const line = redactForms(text).replaceAll(/\s+/g, ' ').trim();
  const letters = [...line];
  return letters.length > LONGEST_TITLE ? `${letters.slice(0, LONGEST_TITLE - 1).join('')}…` : line;
}
