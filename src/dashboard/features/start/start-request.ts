import type { OperationInput, OperationOutput } from '../../../operations/all.ts';
import { type Entry, entriesOf } from '../../ui/form/field.ts';
import { findIssues, parseServerIssues } from '../../ui/form/validate.ts';
import type { Draft } from './start-draft.ts';

/** A recipe of the form; one that starts from a pull request has its own operation. */
export type Recipe = OperationOutput<'list-recipes'>[number] & { startsFromPullRequest?: true };
export type WorkFile = OperationOutput<'read-work-file'>;

/** The form input of a review; the rest is read from the forge. */
const REVIEW_INPUT = {
  type: 'object',
  properties: {
    number: { type: 'integer', minimum: 1, description: 'The number of the pull request.' },
    automerge: { type: 'boolean', default: false, description: 'Merge it if it passes, instead of approving it.' },
    push: { type: 'boolean', default: false, description: 'Push fixes to its branch.' },
    yes: { type: 'boolean', default: false, description: 'Approve or merge it without confirmation.' },
  },
  required: ['number'],
} as const;

/** Its flags, in the notation of `list-recipes`. */
const REVIEW_COMMAND = {
  name: 'review',
  flags: { number: '--pr {}', automerge: '--automerge', push: '--push', yes: '--yes' },
} as const;

/** Adds the review, which starts from a pull request and has its own operation. */
export function withReview(recipes: readonly Recipe[]): readonly Recipe[] {
  const options = recipes[0]?.options;
  if (options === undefined) return recipes;
  const summary = 'Review, check and fix a pull request, then approve or merge it if allowed.';
  const review = { name: 'review', title: 'Review', summary, input: REVIEW_INPUT, options, file: false };
  return [...recipes, { ...review, command: REVIEW_COMMAND, startsFromPullRequest: true }];
}

/** Options with their own controls elsewhere in the form, and the file, which the form reads itself. */
const SHOWN_ELSEWHERE = new Set(['dir', 'rehearse', 'workFile']);

/** The input fields of a recipe; with a work file only those that the file does not set. */
export function inputEntries(recipe: Recipe, read: WorkFile | undefined): readonly Entry[] {
  const entries = entriesOf(recipe.input);
  if (read === undefined) return entries;
  const fileInput = read.request?.input;
  const isInFile = (key: string) => typeof fileInput === 'object' && fileInput !== null && key in fileInput;
  return entries.filter(({ key, isRequired }) => !isRequired && !isInFile(key));
}

export function optionEntries(recipe: Recipe): readonly Entry[] {
  return entriesOf(recipe.options).filter(({ key }) => !SHOWN_ELSEWHERE.has(key));
}

/** The paths of all fields of a recipe, in the server's notation. */
export function fieldsOf(recipe: Recipe): Set<string> {
  const input = inputEntries(recipe, undefined).map(({ key }) => `input.${key}`);
  return new Set([...input, ...optionEntries(recipe).map(({ key }) => `options.${key}`), 'options.dir']);
}

/** The issues of a draft before it is sent, by path in the server's notation. */
export function draftIssues(request: {
  recipe: Recipe;
  draft: Draft;
  read: WorkFile | undefined;
}): Map<string, string> {
  const { recipe, draft, read } = request;
  const input = { kind: 'group', entries: inputEntries(recipe, read) } as const;
  const options = { kind: 'group', entries: optionEntries(recipe) } as const;
  const found = new Map<string, string>();
  for (const [path, text] of findIssues(input, draft.inputs[recipe.name] ?? {})) found.set(`input.${path}`, text);
  for (const [path, text] of findIssues(options, draft.options)) found.set(`options.${path}`, text);
  if ((draft.dir ?? '').trim() === '') found.set('options.dir', 'Choose a project or enter its folder.');
  return found;
}

/** The request of the form; the server validates it, so its type is only assumed here. */
export function startRequest(request: {
  recipe: string;
  input: unknown;
  options: unknown;
}): OperationInput<'start-run'> {
  return request as OperationInput<'start-run'>;
}

/** The request of a review; the server validates it too. */
export function reviewRequest(request: object): OperationInput<'review-pull-request'> {
  return request as OperationInput<'review-pull-request'>;
}

/** The issues of one part of the request, by their path inside of it. */
export function issuesIn(issues: ReadonlyMap<string, string>, part: 'input' | 'options'): Map<string, string> {
  const inside = [...issues].filter(([path]) => path.startsWith(`${part}.`));
  return new Map(inside.map(([path, text]) => [path.slice(part.length + 1), text]));
}

/** The field that an error code concerns. */
const FIELDS: Readonly<Record<string, string>> = {
  NOT_A_REPOSITORY: 'options.dir',
  REPOSITORY_EMPTY: 'options.dir',
  REPOSITORY_UNSUPPORTED: 'options.dir',
  AGENT_UNKNOWN: 'options.agents',
  AGENT_MISSING: 'options.agents',
  BRANCH_UNKNOWN: 'options.base',
  SCENARIO_INVALID: 'options.scenario',
  TEMPLATE_UNKNOWN: 'input.template',
  TEMPLATE_INVALID: 'input.template',
  ROLE_UNKNOWN: 'input.role',
  RUN_UNKNOWN: 'input.after',
};

type ServerError = { code: string; message: string; details: Readonly<Record<string, unknown>> };

/** The issues of a server error by field; empty if it concerns none of the form's fields. */
export function issuesFromError(
  { code, message, details }: ServerError,
  fields: ReadonlySet<string>,
): Map<string, string> {
  const issues = parseServerIssues(details.issues);
  if (issues.size > 0) return issues;
  const field = FIELDS[code];
  return field === undefined || !fields.has(field) ? new Map() : new Map([[field, message]]);
}
