import { z } from 'zod';
import { redactForms } from '../../core/redact.ts';
import { editPlan as decideEdit, type EditedPlan } from '../../core/run/edit-plan.ts';
import type { RunState } from '../../core/run/state.ts';
import { AppError } from '../../errors.ts';
import type { Recipe } from '../../recipes/recipe.ts';
import { RunDocument } from '../../schema/document.ts';
import { TaskSpec } from '../../schema/task.ts';
import { completeKey, findRun, RunRef, requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';
import { documentOf } from '../run-document.ts';

/** A task of the edited plan: an existing one by its key, or a new one. */
const EditedTask = z.strictObject({
  task: z.string().optional().describe('The key of an existing task; without it the task is new.'),
  id: z.string().optional().describe('The name of a new task, for the needs of other tasks in this list.'),
  title: TaskSpec.shape.title.optional(),
  description: z.string().min(1).optional(),
  needs: z.array(z.string()).optional(),
  priority: z.number().int().min(-10).max(10).optional(),
  agent: z.string().nullable().optional(),
});
type EditedTask = z.infer<typeof EditedTask>;

/** Changes a plan that waits for approval to the given list: tasks that are missing are removed, new ones added, the order kept. */
export const editPlan = operation({
  name: 'edit-plan',
  where: 'engine',
  summary: 'Change a plan that waits for approval: edit, remove, add and reorder its tasks',
  http: 'PUT /api/runs/{run}/plan',
  allow: ['operator'],
  input: z.object({ ...RunRef, tasks: z.array(EditedTask).max(10_000) }),
  output: RunDocument,
  run: async (app, { tasks, ...ref }, { origin }) => {
    const { run, recipe } = (await findRun(app, ref)).start;
    const control = requireControl(app);
    const implementations = await app.implementations();
    const { planTask } = implementations.recipe(recipe.name, recipe.version);
    await control.resume(run);
    const decide = (state: RunState) => decideEdit(state, editedPlan(state, tasks, planTask));
    return documentOf(app, await control.submit(run, decide, origin));
  },
});

function editedPlan(state: RunState, tasks: readonly EditedTask[], planTask: Recipe['planTask']): EditedPlan {
  const keys = new Map<string, string>();
  const specs = new Map<EditedTask, TaskSpec>();
  for (const task of tasks.filter((each) => each.task === undefined)) {
    const spec = newTask(state, task, { planTask, taken: [...specs.values()].map(({ key }) => key) });
    specs.set(task, spec);
    if (task.id !== undefined) keys.set(task.id, spec.key);
  }
  const resolve = (needs: readonly string[]) => needs.map((need) => keys.get(need) ?? completeKey(state, need));
  return tasks.map((edited) => {
    const { title, description, needs, priority, agent } = edited;
    const resolved = needs === undefined ? {} : { needs: resolve(needs) };
    const spec = specs.get(edited);
    if (spec !== undefined) return { kind: 'add', spec: { ...spec, ...resolved } };
    const edit = {
      title: title === undefined ? undefined : redactForms(title),
      prompt: description,
      priority,
      agent: agent ?? undefined,
      ...resolved,
    };
    return { kind: 'keep', task: completeKey(state, edited.task ?? ''), edit };
  });
}

function newTask(
  state: RunState,
  { title, description, priority, agent }: EditedTask,
  { planTask, taken }: { planTask: Recipe['planTask']; taken: string[] },
): TaskSpec {
  if (title === undefined || description === undefined)
    throw new AppError('INPUT_INVALID', 'A new task of a plan needs a title and a description');
  if (planTask === undefined)
    throw new AppError('REFUSED', `Tasks cannot be added to a plan of the recipe ${state.start.recipe.name}`);
  return planTask(state, {
    title,
    prompt: description,
    needs: [],
    taken,
    ...(priority === undefined ? {} : { priority }),
    ...(agent == null ? {} : { agent }),
  });
}
