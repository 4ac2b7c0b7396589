import type { RunState } from '../../../../core/run/state.ts';

/** The first task, after the one found last, whose key or title holds the words; none where there is none. */
export function findTask(state: RunState, words: string, after: string | null): string | undefined {
  const text = words.trim().toLowerCase();
  if (text === '') return undefined;
  const start = after === null ? 0 : state.order.indexOf(after) + 1;
  for (let step = 0; step < state.order.length; step += 1) {
    const key = state.order[(start + step) % state.order.length];
    const title = key === undefined ? undefined : state.tasks[key]?.spec.title;
    if (key !== undefined && title !== undefined && `${key} ${title}`.toLowerCase().includes(text)) return key;
  }
  return undefined;
}
