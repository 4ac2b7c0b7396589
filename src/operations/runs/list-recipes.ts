import { z } from 'zod';
import { recipeOf } from '../../recipes/registry.ts';
import { StartOptions, StartRequest } from '../../schema/request.ts';
import type { Operation } from '../operation.ts';

/** Lists the recipes that a form can start, each with what it takes. */
export const listRecipes: Operation<'list-recipes'> = async () => {
  const options = schemaOf(StartOptions);
  return StartRequest.options.flatMap(({ shape }) => {
    const [name] = shape.recipe.values;
    const form = name === undefined ? undefined : recipeOf(name).form;
    return name === undefined || form === undefined ? [] : [{ name, ...form, input: schemaOf(shape.input), options }];
  });
};

function schemaOf(schema: z.ZodType): Record<string, unknown> {
  return { ...z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) };
}
