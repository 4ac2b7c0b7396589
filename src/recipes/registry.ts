import { AppError } from '../errors.ts';
import { bulk } from './bulk/bulk.ts';
import { features } from './features/features.ts';
import { goal } from './goal/goal.ts';
import { job } from './job/job.ts';
import type { Recipe } from './recipe.ts';
import { review } from './review/review.ts';
import { tasks } from './tasks/tasks.ts';
import { todo } from './todo/todo.ts';
import { workflow } from './workflow/workflow.ts';

/** A recipe of which the input was already parsed. */
export type AnyRecipe = Recipe<unknown>;

const RECIPES: readonly AnyRecipe[] = [
  generic(goal),
  generic(job),
  generic(features),
  generic(bulk),
  generic(tasks),
  generic(workflow),
  generic(todo),
  generic(review),
];

/** The recipe by name, and by version for a run that has one; a version that is no longer here is refused, so that a run never changes its rules. */
export function recipeOf(name: string, version?: number): AnyRecipe {
  const recipe = RECIPES.find((entry) => entry.name === name);
  if (recipe !== undefined && (version === undefined || recipe.version === version)) return recipe;
  throw new AppError('RECIPE_UNKNOWN', `The recipe ${name} version ${version} is not in this version of Manyhands`);
}

/** Inputs are parsed once per value: a run asks with the same one again and again. */
function generic<Input>(recipe: Recipe<Input>): AnyRecipe {
  const parsed = new WeakMap<object, Input>();
  const read = (input: unknown): Input => {
    const known = typeof input === 'object' && input !== null ? parsed.get(input) : undefined;
    if (known !== undefined) return known;
    const value = recipe.input.parse(input);
    if (typeof input === 'object' && input !== null) parsed.set(input, value);
    return value;
  };
  return {
    name: recipe.name,
    version: recipe.version,
    input: recipe.input,
    title: (input) => recipe.title(read(input)),
    accept: recipe.accept,
    unfold: (run, input, ended) => recipe.unfold(run, read(input), ended),
    manner: (config, input) => recipe.manner?.(config, read(input)) ?? {},
    failure: (run, input) => recipe.failure?.(run, read(input)),
    statuses: (run, input) => recipe.statuses?.(run, read(input)),
  };
}
