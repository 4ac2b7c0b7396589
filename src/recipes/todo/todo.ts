import { findCycle } from '../../core/run/graph.ts';
import { lastAttempt, type RunState, type TaskState } from '../../core/run/state.ts';
import { promptText } from '../../roles/prompt.ts';
import { TasksOutput } from '../../schema/output.ts';
import { TodoRequest } from '../../schema/request.ts';
import { TasksInput } from '../../schema/work-file.ts';
import { requiringGreenBase } from '../base-red.ts';
import type { Recipe, Unfolding } from '../recipe.ts';
import { oneLine, taskSpec } from '../task-spec.ts';
import { listedTasks } from '../tasks/task-list.ts';
import { tasks } from '../tasks/tasks.ts';
import { todoWorkFile } from './todo-file.ts';

const NOTHING_NEW: Unfolding = { add: [] };
const ROLE = 'tasks';

/** A to-do list or a goal becomes a list of tasks: the result of the run, or its work when it is executed at once. */
export const todo: Recipe<TodoRequest> = requiringGreenBase({
  name: 'todo',
  version: 1,
  input: TodoRequest,
  form: { title: 'To-do list', summary: 'Make tasks of a to-do list, and execute them if requested.', file: true },
  workFile: todoWorkFile,
  isReadOnly: ({ execute: executes }) => !executes,
  title: ({ file, text }) => oneLine(file === null ? `Plan: ${text}` : `Plan ${file}`),
  accept: (task, output) => (task.spec.role === ROLE ? refuseTasks(output) : undefined),
  unfold: (run, input, ended) => {
    if (ended === undefined) return begin(run, input);
    const isListed = ended.spec.role === ROLE && ended.phase.status === 'done';
    return isListed && input.execute ? execute(run, ended) : NOTHING_NEW;
  },
});

/** The tasks that an ended run of this recipe has made; undefined for any other run. */
export function plannedTasks({ recipe, result }: { recipe: string; result?: unknown }): TasksOutput | undefined {
  return recipe === todo.name ? TasksOutput.safeParse(result).data : undefined;
}

function begin(run: RunState, input: TodoRequest): Unfolding {
  const title = input.as === 'workflow' ? 'Plan a workflow' : 'Make tasks';
  return {
    add: [taskSpec(run.start.config, { key: 'plan/1', title, role: ROLE, access: 'read', prompt: promptOf(input) })],
  };
}

function promptOf({ text, entries, as }: TodoRequest): string {
  const isList = entries.length > 0;
  return promptText('recipes/todo/make-tasks', {
    isList,
    isAllDone: isList && entries.every(({ done }) => done),
    isWorkflow: as === 'workflow',
    text,
  });
}

function refuseTasks(output: unknown): string | undefined {
  const list = TasksOutput.safeParse(output);
  if (!list.success) return issueText(list.error);
  const cycle = findCycle(list.data.tasks.map(({ id, needs }) => ({ key: id, needs })));
  if (cycle !== undefined) return `the tasks have a cycle: ${cycle.join(' needs ')}`;
  const fit = TasksInput.safeParse({ tasks: listedTasks(list.data) });
  return fit.success ? undefined : issueText(fit.error);
}

function issueText({ issues }: { issues: { path: PropertyKey[]; message: string }[] }): string {
  return issues.map(({ path, message }) => `${path.join('.') || 'the list'}: ${message}`).join('; ');
}

/** Checks that an agent proposed and no person has read prove nothing: only those of the settings count here. */
function execute(run: RunState, ended: TaskState): Unfolding {
  const output = TasksOutput.parse(lastAttempt(ended)?.ended?.output);
  const listed = listedTasks(output).map(({ check: _, role: __, ...task }) => task);
  return tasks.unfold(run, { tasks: listed }, undefined);
}
