import { plannedTasks } from '../../../../core/run/edit-plan.ts';
import type { RunState } from '../../../../core/run/state.ts';
import type { OperationInput } from '../../../../operations/all.ts';

/** A task of the edited plan; `id` is its key, or a local name if it is new. */
export type DraftTask = {
  id: string;
  isNew: boolean;
  title: string;
  description: string;
  needs: readonly string[];
  priority: number;
};

export type PlanDraft = readonly DraftTask[];

/** The plan of a run that waits for approval, in the order in which its tasks would start. */
export function planDraft(state: RunState): PlanDraft {
  return plannedTasks(state).map(({ spec: { key, title, prompt, needs, priority } }) => ({
    id: key,
    isNew: false,
    title,
    description: prompt,
    needs,
    priority,
  }));
}

/** The plan with one task moved up (-1) or down (1). */
export function withMoved(draft: PlanDraft, id: string, by: -1 | 1): PlanDraft {
  const from = draft.findIndex((task) => task.id === id);
  const to = from + by;
  const task = draft[from];
  if (task === undefined || to < 0 || to >= draft.length) return draft;
  const rest = draft.filter((each) => each !== task);
  return [...rest.slice(0, to), task, ...rest.slice(to)];
}

/** The plan without a task; nothing depends on it any more. */
export function withoutTask(draft: PlanDraft, id: string): PlanDraft {
  return draft
    .filter((task) => task.id !== id)
    .map((task) => (task.needs.includes(id) ? { ...task, needs: task.needs.filter((need) => need !== id) } : task));
}

/** The plan with a new, empty task at its end. */
export function withNewTask(draft: PlanDraft): PlanDraft {
  const numbers = draft.flatMap(({ id }) => Number(/^new (\d+)$/.exec(id)?.[1] ?? 0));
  const id = `new ${Math.max(0, ...numbers) + 1}`;
  return [...draft, { id, isNew: true, title: '', description: '', needs: [], priority: 0 }];
}

export function withChanged(draft: PlanDraft, id: string, change: Partial<Omit<DraftTask, 'id' | 'isNew'>>): PlanDraft {
  return draft.map((task) => (task.id === id ? { ...task, ...change } : task));
}

/** Why the draft cannot be saved; null if it can. */
export function draftError(draft: PlanDraft): string | null {
  if (draft.length === 0) return 'A plan needs at least one task. To discard it, reject it.';
  const untitled = draft.findIndex(({ title }) => title.trim() === '');
  if (untitled >= 0) return `Task ${untitled + 1} needs a title.`;
  const empty = draft.find(({ isNew, description }) => isNew && description.trim() === '');
  return empty === undefined ? null : `"${empty.title}" needs a description.`;
}

export function isSamePlan(a: PlanDraft, b: PlanDraft): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The draft as the operation takes it. */
export function editedTasks(draft: PlanDraft): OperationInput<'edit-plan'>['tasks'] {
  return draft.map(({ id, isNew, title, description, needs, priority }) => ({
    ...(isNew ? { id } : { task: id }),
    title,
    // A planned task may have no description; an empty one is not sent.
    ...(description.trim() === '' ? {} : { description }),
    needs: [...needs],
    priority,
  }));
}
