/** A task as the palette names it. */
export type TaskName = { key: string; title: string; role: string };

/** The tasks of a run's state, in the order in which they came. */
export function tasksOf(state: unknown): TaskName[] {
  const tasks = isObject(state) && isObject(state.tasks) ? state.tasks : {};
  return Object.entries(tasks).map(([key, task]) => {
    const spec = isObject(task) && isObject(task.spec) ? task.spec : {};
    return { key, title: textOf(spec.title) ?? key, role: textOf(spec.role) ?? '' };
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
