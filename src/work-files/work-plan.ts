import type { WorkFile } from '../schema/work-file.ts';

/** A piece of work as it would be started: who it is for, what it waits for, and what must hold before it counts. */
export type PlannedWork = {
  id: string;
  title: string;
  role: string;
  needs: string[];
  gates: string[];
  agent?: string;
  /** How many attempts it takes if each of its tasks succeeds at once. */
  tasks: number;
};

const LONGEST_TITLE = 80;

/** What a work file would start, in the order of the file: all of it, or what was asked for with the tasks and nodes that it needs. */
export function plannedWork(work: WorkFile): PlannedWork[] {
  const all = allWork(work);
  const only = 'only' in work.input ? work.input.only : undefined;
  const ids = only === undefined ? new Set(all.map(({ id }) => id)) : new Set(only);
  if (work.recipe === 'tasks' || work.recipe === 'workflow') {
    const byId = new Map(all.map((planned) => [planned.id, planned]));
    for (const id of ids) for (const need of byId.get(id)?.needs ?? []) ids.add(need);
  }
  const kept = all.filter(({ id }) => ids.has(id));
  return kept.map((planned) => ({ ...planned, needs: planned.needs.filter((need) => ids.has(need)) }));
}

/** All ids that a work file gives names to. */
export function workIds(work: WorkFile): string[] {
  switch (work.recipe) {
    case 'features':
      return work.input.features.map(({ id }) => id);
    case 'bulk':
      return work.input.items.map(({ id }) => id);
    case 'tasks':
      return work.input.tasks.map(({ id }) => id);
    case 'workflow':
      return work.input.nodes.map(({ id }) => id);
    case 'todo':
      return [];
  }
}

function allWork(work: WorkFile): PlannedWork[] {
  switch (work.recipe) {
    case 'features':
      return work.input.features
        .filter(({ status }) => work.input.only !== undefined || status === 'open' || status === 'verifying')
        .map(({ id, name, steps, dependsOn, agent }) => ({
          id,
          title: titleOf(name),
          role: 'implement',
          needs: dependsOn ?? [],
          gates: [`verify: ${steps.length} ${steps.length === 1 ? 'step' : 'steps'}, by another agent`],
          tasks: 2,
          ...(agent === undefined ? {} : { agent }),
        }));
    case 'bulk':
      return work.input.items.map(({ id, prompt, files, check, requirePatterns }) => ({
        id,
        title: titleOf(files.length === 1 ? `${files[0]}: ${prompt}` : prompt),
        role: 'bulk',
        needs: [],
        gates: ['syntax', ...(check ?? []), ...(requirePatterns ?? []).map((pattern) => `holds /${pattern}/`)],
        tasks: 1,
      }));
    case 'tasks':
      return work.input.tasks.map(({ id, title, role, needs, check, agent }) => ({
        id,
        title: titleOf(title),
        role: role ?? 'implement',
        needs,
        gates: check === undefined ? [] : [check],
        tasks: 1,
        ...(agent === undefined ? {} : { agent }),
      }));
    case 'workflow':
      return work.input.nodes.map(({ id, task, role, needs, gates, agent }) => ({
        id,
        title: titleOf(task),
        role,
        needs,
        gates: gates.map(gateText),
        tasks: 1,
        ...(agent === undefined ? {} : { agent }),
      }));
    case 'todo': {
      const open = work.input.entries.filter(({ done }) => !done).length;
      const title =
        open === 0 ? 'Make tasks of the text' : `Make tasks of ${open} open ${open === 1 ? 'entry' : 'entries'}`;
      return [{ id: 'plan', title, role: 'tasks', needs: [], gates: [], tasks: 1 }];
    }
  }
}

type Gate = Extract<WorkFile, { recipe: 'workflow' }>['input']['nodes'][number]['gates'][number];

function gateText({ id, passWhen, onFail }: Gate): string {
  const again =
    onFail === undefined ? 'else the run blocks' : `else ${onFail.retry} again, at most ${onFail.max} times`;
  return `${id}: ${passWhen.join(' and ')}, ${again}`;
}

function titleOf(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const letters = [...line];
  return letters.length > LONGEST_TITLE ? `${letters.slice(0, LONGEST_TITLE - 1).join('')}…` : line;
}
