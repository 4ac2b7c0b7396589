import type { RunState } from '../core/run/state.ts';
import { AppError } from '../errors.ts';
import type { NodeDocument, ProgressDocument } from '../schema/progress.ts';
import { bulk } from './bulk/bulk.ts';
import { cycle } from './cycle/cycle.ts';
import { debate } from './debate/debate.ts';
import { features } from './features/features.ts';
import { goal } from './goal/goal.ts';
import { improve } from './improve/improve.ts';
import { job } from './job/job.ts';
import type { Recipe } from './recipe.ts';
import type { DataFormat, TextFormat } from './recipe-work-file.ts';
import { review } from './review/review.ts';
import { tasks } from './tasks/tasks.ts';
import { team } from './team/team.ts';
import { todo } from './todo/todo.ts';
import { watch } from './watch/watch.ts';
import { workflow } from './workflow/workflow.ts';

/** A recipe that parses its input itself. */
export type AnyRecipe = Recipe<unknown>;

/** A format of work files, with the name of its recipe. */
type WorkFormatReader = { recipe: string; reader: DataFormat<unknown> | TextFormat<unknown> };

/** `hasDocument`: it has `nodes`, `progress` or `result`, which say more of a run than its tasks do. */
type Entry = { load: () => AnyRecipe; hasDocument?: true };

/** In the order in which formats of work files are tried; each is loaded when it is first used, and to show a run only if it has a document. */
export const RECIPES: Readonly<Record<string, Entry>> = {
  goal: { load: () => parsing(goal) },
  cycle: { load: () => parsing(cycle), hasDocument: true },
  debate: { load: () => parsing(debate), hasDocument: true },
  team: { load: () => parsing(team), hasDocument: true },
  improve: { load: () => parsing(improve), hasDocument: true },
  job: { load: () => parsing(job) },
  bulk: { load: () => parsing(bulk) },
  features: { load: () => parsing(features) },
  workflow: { load: () => parsing(workflow), hasDocument: true },
  tasks: { load: () => parsing(tasks) },
  todo: { load: () => parsing(todo) },
  review: { load: () => parsing(review) },
  watch: { load: () => parsing(watch), hasDocument: true },
};
const loaded = new Map<string, AnyRecipe>();

/** All formats of work files, each with the name of its recipe. */
export function workFormats(): WorkFormatReader[] {
  return Object.keys(RECIPES).flatMap((name) => {
    const formats = findRecipe(name)?.workFile?.formats ?? [];
    return formats.map((reader) => ({ recipe: name, reader }));
  });
}

/** The recipe by name, and by version for a run that has one; a version that is no longer here is refused, so that a run never changes its rules. */
export function recipeOf(name: string, version?: number): AnyRecipe {
  const recipe = findRecipe(name);
  if (recipe !== undefined && (version === undefined || recipe.version === version)) return recipe;
  throw new AppError('RECIPE_UNKNOWN', `The recipe ${name} version ${version} is not in this version of Manyhands`);
}

/** The recipe by name, if this version has it. */
export function findRecipe(name: string): AnyRecipe | undefined {
  const known = loaded.get(name);
  if (known !== undefined || !Object.hasOwn(RECIPES, name)) return known;
  const recipe = RECIPES[name]?.load();
  if (recipe !== undefined) loaded.set(name, recipe);
  return recipe;
}

/** The recipe of a run, if it says more of the run than its tasks do. */
function documentingRecipe({ start: { recipe } }: RunState): AnyRecipe | undefined {
  return Object.hasOwn(RECIPES, recipe.name) && RECIPES[recipe.name]?.hasDocument ? findRecipe(recipe.name) : undefined;
}

/** The nodes of a run that follows a graph, with their rounds and gates. */
export function nodesOf(state: RunState): NodeDocument[] | undefined {
  return documentingRecipe(state)?.nodes?.(state, state.start.input);
}

/** The progress of a run that works in rounds. */
export function progressOf(state: RunState): ProgressDocument | undefined {
  return documentingRecipe(state)?.progress?.(state, state.start.input);
}

/** The result of a run whose recipe makes one of several tasks. */
export function resultOf(state: RunState): unknown {
  return documentingRecipe(state)?.result?.(state, state.start.input);
}

/** Inputs are parsed once per value: a run passes the same one on every call. */
function parsing<Input>(recipe: Recipe<Input>): AnyRecipe {
  const parsed = new WeakMap<object, Input>();
  const read = (input: unknown): Input => {
    const known = typeof input === 'object' && input !== null ? parsed.get(input) : undefined;
    if (known !== undefined) return known;
    const value = recipe.input.parse(input);
    if (typeof input === 'object' && input !== null) parsed.set(input, value);
    return value;
  };
  const { prepare, itemStatus, nodes, outline, progress, result } = recipe;
  return {
    ...recipe,
    title: (input) => recipe.title(read(input)),
    roles: (input) => recipe.roles?.(read(input)) ?? [],
    isReadOnly: (input) => recipe.isReadOnly?.(read(input)) ?? false,
    acceptsFolder: (input) => recipe.acceptsFolder?.(read(input)) ?? false,
    defaults: (config, input) => recipe.defaults?.(config, read(input)) ?? {},
    unfold: (run, input, ended) => recipe.unfold(run, read(input), ended),
    failure: (run, input) => recipe.failure?.(run, read(input)),
    shortfall: (run, input) => recipe.shortfall?.(run, read(input)),
    statuses: (run, input) => recipe.statuses?.(run, read(input)),
    ...(progress === undefined ? {} : { progress: (run, input) => progress(run, read(input)) }),
    ...(result === undefined ? {} : { result: (run, input) => result(run, read(input)) }),
    ...(nodes === undefined ? {} : { nodes: (run, input) => nodes(run, read(input)) }),
    ...(outline === undefined ? {} : { outline: (config, input, most) => outline(config, read(input), most) }),
    ...(itemStatus === undefined ? {} : { itemStatus: (run, input) => itemStatus(run, read(input)) }),
    ...(prepare === undefined
      ? {}
      : {
          prepare: ({ input, options }, references) => prepare({ input: read(input), options }, references),
        }),
  };
}
