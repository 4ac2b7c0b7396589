import type { RunState } from '../../core/run/state.ts';
import { promptText } from '../../roles/prompt.ts';
import type { TaskSpec } from '../../schema/task.ts';
import { TasksInput, type WorkTask } from '../../schema/work-file.ts';
import { describeEvidence, redOnBase, requiringGreenBase } from '../base-red.ts';
import type { Recipe, Unfolding } from '../recipe.ts';
import { taskSpec, withOwnCommands } from '../task-spec.ts';
import { tasksWorkFile } from './tasks-file.ts';

/** A reviewed list of tasks: each done in its own workspace, after those it needs, and landed on its own. */
export const tasks: Recipe<TasksInput> = requiringGreenBase({
  name: 'tasks',
  version: 1,
  input: TasksInput,
  form: {
    title: 'Tasks',
    summary: 'Tasks that may need each other, each on its own or as pull requests.',
    file: true,
  },
  workFile: tasksWorkFile,
  title: (input) => (input.tasks.length === 1 ? (input.tasks[0]?.title ?? 'A task') : `${input.tasks.length} tasks`),
  defaults: (_config, input) => (input.pr === 'each' || input.pr === 'run' ? { land: 'pr' } : {}),
  unfold: (run, input, ended) => (ended === undefined ? begin(run, input) : { add: [] }),
});

function begin(run: RunState, input: TasksInput): Unfolding {
  const redChecks = describeEvidence(redOnBase(run));
  const selected = withNeeds(input);
  const keys = new Map(selected.map(({ task, key }) => [task.id, key]));
  const add = selected.map(({ task, key }) => specOf(run, { task, key, keys, redChecks }));
  return { add };
}

/** The selected tasks, with all that they need. */
function withNeeds(input: TasksInput): { task: WorkTask; key: string }[] {
  const all = input.tasks.map((task, index) => ({ task, key: `task/${index + 1}` }));
  if (input.only === undefined) return all;
  const byId = new Map(all.map((entry) => [entry.task.id, entry]));
  const ids = new Set(input.only);
  for (const id of ids) for (const need of byId.get(id)?.task.needs ?? []) ids.add(need);
  return all.filter(({ task }) => ids.has(task.id));
}

function specOf(
  run: RunState,
  { task, key, keys, redChecks }: { task: WorkTask; key: string; keys: ReadonlyMap<string, string>; redChecks: string },
): TaskSpec {
  const labels = task.labels === undefined ? {} : { labels: task.labels };
  const spec = taskSpec(run.start.config, {
    key,
    title: task.title,
    name: task.id,
    role: task.role ?? 'implement',
    access: 'write',
    needs: task.needs.flatMap((need) => keys.get(need) ?? []),
    prompt: promptText('recipes/task', { description: task.description, files: task.files.join(', '), redChecks }),
    branch: task.branch ?? `mh-tasks/${run.start.run}/${key.replace('/', '-')}`,
    ...(task.agent === undefined ? {} : { agent: task.agent }),
    ...labels,
  });
  return task.check === undefined ? spec : { ...spec, gates: withOwnCommands(spec.gates, [task.check], labels) };
}
