import { expect, test } from 'vitest';
import { findRecipe, RECIPES, recipeOf, workFormats } from '../../src/recipes/registry.ts';

test('a recipe is found by its own name', () => {
  const names = [...new Set(workFormats().map(({ recipe }) => recipe)), 'goal', 'job', 'cycle', 'debate', 'team'];
  for (const name of names) expect(recipeOf(name).name).toBe(name);
});

test('a name that no recipe has finds nothing, also one that every object has', () => {
  expect([findRecipe('none'), findRecipe('constructor')]).toEqual([undefined, undefined]);
});

test('the table names exactly the recipes that have a document', () => {
  for (const [name, { hasDocument = false }] of Object.entries(RECIPES)) {
    const { nodes, progress, result } = recipeOf(name);
    expect(
      [nodes, progress, result].some((each) => each !== undefined),
      name,
    ).toBe(hasDocument);
  }
});
