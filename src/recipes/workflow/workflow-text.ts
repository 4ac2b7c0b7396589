import { promptText } from '../../roles/prompt.ts';
import type { ListedTask } from '../tasks/task-list.ts';
import { aboutLines, type TasksAbout, yamlText } from '../tasks/tasks-text.ts';

const GUIDE = [
  'Read it, change what you like, then:',
  '  manyhands check <this file>',
  '  manyhands run <this file>',
  '',
  'A node has role, task and outputs (a name for what it hands over), and perhaps needs.',
  'One that changes files says so with allow_write, and where with write_scope.',
  'A node with type: gate lets work pass only when pass_when holds.',
];
const ROUNDS = 2;

type Node = Record<string, unknown>;

/** A workflow for people to read and change: a node for each task, and at the end a review that lets the result pass or not. */
export function workflowText(tasks: readonly ListedTask[], about: TasksAbout): string {
  const nodes: Record<string, Node> = {};
  for (const task of tasks) nodes[task.id] = nodeOf(task);
  if (tasks.some(({ role }) => role === 'implement') && !tasks.some(({ role }) => role === 'review'))
    Object.assign(nodes, reviewOf(tasks));
  const content = { name: about.title.replaceAll(/\s+/g, ' ').trim().slice(0, 200), nodes };
  return yamlText(content, [...aboutLines(about), '', ...GUIDE], 'nodes');
}

function nodeOf({ id, title, description, files, needs, role }: ListedTask): Node {
  const writes = role === 'implement';
  return {
    role,
    ...(needs.length === 0 ? {} : { needs }),
    ...(writes ? { allow_write: true, write_scope: { allow: files.length === 0 ? ['**'] : files } } : {}),
    task: `${title}\n\n${description}\n`,
    outputs: `${id}_handoff`,
  };
}

/** What the review finds sends the work back where one node is the last to write; else a person decides. */
function reviewOf(tasks: readonly ListedTask[]): Record<string, Node> {
  const needed = new Set(tasks.flatMap(({ needs }) => needs));
  const ends = tasks.filter(({ id }) => !needed.has(id));
  const writers = ends.filter(({ role }) => role === 'implement');
  const [review, gate] = [freeId('review', tasks), freeId('accepted', tasks)];
  const again = writers.length === 1 && writers[0] !== undefined ? { retry: writers[0].id, max_retries: ROUNDS } : null;
  return {
    [review]: {
      role: 'review',
      needs: ends.map(({ id }) => id),
      task: promptText('recipes/workflow/review-result', {}),
      outputs: `${review}_handoff`,
    },
    [gate]: {
      type: 'gate',
      needs: [review],
      pass_when: [`nodes["${review}"].status == "pass"`, `nodes["${review}"].blocking_count == 0`],
      ...(again === null ? {} : { on_fail: again }),
    },
  };
}

function freeId(preferred: string, tasks: readonly ListedTask[]): string {
  let id = preferred;
  for (let copy = 2; tasks.some((task) => task.id === id); copy += 1) id = `${preferred}-${copy}`;
  return id;
}
