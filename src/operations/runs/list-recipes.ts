import { z } from 'zod';
import type { RecipeDocument } from '../../schema/recipe-document.ts';
import { StartOptions, StartRequest } from '../../schema/request.ts';
import type { Operation } from '../operation.ts';

type Told = Pick<RecipeDocument, 'title' | 'summary' | 'file'>;
type RecipeName = z.infer<typeof StartRequest>['recipe'];

/** A review begins with a pull request, not with a form: review-pull-request starts it. */
const TOLD: Record<Exclude<RecipeName, 'review'>, Told> = {
  goal: { title: 'Goal', summary: 'Plan a goal, carry the plan out and review it.', file: false },
  job: { title: 'Job', summary: 'One task for one agent, now or at a time, once or again and again.', file: false },
  features: { title: 'Features', summary: 'Build features, each verified step by step by another agent.', file: true },
  bulk: { title: 'Bulk', summary: 'Many small pieces of work that do not depend on each other.', file: true },
  tasks: {
    title: 'Tasks',
    summary: 'Tasks that may need each other, each on its own or as pull requests.',
    file: true,
  },
  workflow: { title: 'Workflow', summary: 'A graph of roles with conditions, loops and gates.', file: true },
  todo: { title: 'To-do list', summary: 'Make tasks of a to-do list, and carry them out if wanted.', file: true },
};

/** Lists the recipes that a person can start, each with what it takes. */
export const listRecipes: Operation<'list-recipes'> = async () => {
  const options = schemaOf(StartOptions);
  return StartRequest.options.flatMap(({ shape }) => {
    const [name] = shape.recipe.values;
    if (name === undefined || name === 'review') return [];
    return [{ name, ...TOLD[name], input: schemaOf(shape.input), options }];
  });
};

function schemaOf(schema: z.ZodType): Record<string, unknown> {
  return { ...z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) };
}
