import { z } from 'zod';

/** How the values of a form are written on a command line. */
const FlagForms = z
  .record(z.string(), z.string())
  .describe(
    'Its flags, by the path of the value in the input. {} is the value, once for each item of a list; {,} is all items; {key} and {} are each pair of a record; {duration} and {time} are milliseconds as text. A flag without any of these is set when the value is true.',
  );

/** The command that starts a run of a recipe; `text` is the field that is written without a flag. */
export const FormCommand = z.object({ name: z.string(), text: z.string().optional(), flags: FlagForms });
type FormCommand = z.infer<typeof FormCommand>;

/** How forms present a recipe; `file`: its input is usually read from a work file; `command`: what starts the same run. */
export type RecipeForm = { title: string; summary: string; file: boolean; command?: FormCommand };
