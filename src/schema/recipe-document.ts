import { z } from 'zod';

const JsonSchema = z.record(z.string(), z.unknown());

/** A recipe as a form or another program needs it. */
export const RecipeDocument = z.object({
  name: z.string(),
  title: z.string(),
  summary: z.string(),
  input: JsonSchema.describe('JSON Schema of what it takes.'),
  options: JsonSchema.describe('JSON Schema of the options that every recipe takes.'),
  file: z.boolean().describe('Whether its input is usually read from a work file.'),
});
export type RecipeDocument = z.infer<typeof RecipeDocument>;
