import { z } from 'zod';
import { recipeOf } from '../../recipes/registry.ts';
import { RecipeDocument } from '../../schema/recipe-document.ts';
import { StartOptions, StartRequest } from '../../schema/request.ts';
import { operation } from '../operation.ts';

/** Lists the recipes that a form can start, each with what it takes. */
export const listRecipes = operation({
  name: 'list-recipes',
  where: 'anywhere',
  summary: 'List the recipes and what they take',
  http: 'GET /api/recipes',
  allow: ['viewer', 'operator'],
  input: z.object({}),
  output: z.array(RecipeDocument),
  run: async () => {
    const options = schemaOf(StartOptions);
    return StartRequest.options.flatMap(({ shape }) => {
      const [name] = shape.recipe.values;
      const form = name === undefined ? undefined : recipeOf(name).form;
      return name === undefined || form === undefined ? [] : [{ name, ...form, input: schemaOf(shape.input), options }];
    });
  },
});

function schemaOf(schema: z.ZodType): Record<string, unknown> {
  return { ...z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) };
}
