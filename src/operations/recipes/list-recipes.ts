import { z } from 'zod';
import { FormCommand } from '../../recipes/recipe-form.ts';
import { recipeOf } from '../../recipes/registry.ts';
import { StartOptions, StartRequest } from '../../schema/request.ts';
import { operation } from '../operation.ts';

const JsonSchema = z.record(z.string(), z.unknown());

/** A recipe as forms and other programs need it. */
const RecipeDocument = z.object({
  name: z.string(),
  title: z.string(),
  summary: z.string(),
  input: JsonSchema.describe('JSON Schema of its input.'),
  options: JsonSchema.describe('JSON Schema of the options of every recipe.'),
  file: z.boolean().describe('Whether its input is usually read from a work file.'),
  command: FormCommand.optional().describe('The command that starts the same run.'),
});

/** Lists the recipes that a form can start, each with the schema of its input. */
export const listRecipes = operation({
  name: 'list-recipes',
  where: 'anywhere',
  summary: 'List the recipes and their inputs',
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
