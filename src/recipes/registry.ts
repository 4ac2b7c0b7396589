import { AppError } from '../errors.ts';
import { goal } from './goal.ts';
import { job } from './job.ts';
import type { Recipe } from './recipe.ts';

const RECIPES = { goal, job };

/** A recipe of which the input was already parsed. */
export type AnyRecipe = Recipe<unknown>;

/** The recipe by name, and by version for a run that has one; a version that is no longer here is refused, so that a run never changes its rules. */
export function recipeOf(name: string, version?: number): AnyRecipe {
  const recipe = Object.values<{ name: string; version: number }>(RECIPES).find((entry) => entry.name === name);
  if (recipe === undefined || (version !== undefined && recipe.version !== version)) {
    throw new AppError('RECIPE_UNKNOWN', `The recipe ${name} version ${version} is not in this version of Manyhands`);
  }
  return name === 'goal' ? generic(goal) : generic(job);
}

function generic<Input>(recipe: Recipe<Input>): AnyRecipe {
  return {
    ...recipe,
    title: (input) => recipe.title(recipe.input.parse(input)),
    unfold: (run, input, ended) => recipe.unfold(run, recipe.input.parse(input), ended),
  };
}
