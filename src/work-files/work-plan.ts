import { z } from 'zod';
import { AppError } from '../errors.ts';
import type { PlannedWork, RecipeWorkFile } from '../recipes/recipe-work-file.ts';
import { recipeOf } from '../recipes/registry.ts';
import type { Config } from '../schema/config.ts';
import { type WorkFile, WorkFormat } from '../schema/work-file.ts';

/** What a work file contains, or its errors. */
export const WorkCheck = z.object({
  file: z.string(),
  ok: z.boolean(),
  format: WorkFormat.nullable(),
  recipe: z.string().nullable(),
  count: z.number().int().describe('How many features, items, tasks, nodes or entries.'),
  notes: z.array(z.string()),
  mistakes: z.array(
    z.object({
      line: z.number().int(),
      column: z.number().int(),
      code: z.string(),
      where: z.string(),
      reason: z.string(),
    }),
  ),
});
export type WorkCheck = z.infer<typeof WorkCheck>;

/** What a work file would start, in the order of the file: all of it, or what is selected with what it needs. */
export function plannedWork(work: WorkFile, config: Pick<Config, 'tracks'>): PlannedWork[] {
  const { plan, includesNeeds } = descriptionOf(work);
  const all = plan(work.input, config);
  const only = 'only' in work.input ? work.input.only : undefined;
  const ids = only === undefined ? new Set(all.map(({ id }) => id)) : new Set(only);
  if (includesNeeds) {
    const byId = new Map(all.map((planned) => [planned.id, planned]));
    for (const id of ids) for (const need of byId.get(id)?.needs ?? []) ids.add(need);
  }
  const kept = all.filter(({ id }) => ids.has(id));
  return kept.map((planned) => ({ ...planned, needs: planned.needs.filter((need) => ids.has(need)) }));
}

/** The ids by which pieces of a work file can be selected. */
export function workIds(work: WorkFile): string[] {
  return descriptionOf(work).ids(work.input);
}

/** The entries of a work file as lines, where they are not the pieces of work that it starts. */
export function workEntries(work: WorkFile): string[] | undefined {
  return descriptionOf(work).entries?.(work.input);
}

/** How many pieces of work, or else entries, a work file holds. */
export function workCount(work: WorkFile): number {
  return (workEntries(work) ?? workIds(work)).length;
}

/** What a piece of a work file is called, for a number of them. */
export function workNoun(work: WorkFile, count: number): string {
  const [one, several] = descriptionOf(work).noun;
  return count === 1 ? one : several;
}

function descriptionOf({ recipe }: WorkFile): RecipeWorkFile<unknown> {
  const { workFile } = recipeOf(recipe);
  if (workFile === undefined) throw new AppError('RECIPE_UNKNOWN', `The recipe ${recipe} has no work files`);
  return workFile;
}
