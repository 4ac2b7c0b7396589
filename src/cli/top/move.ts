import { runsInOrder, tasksInOrder } from './rows.ts';
import { transcriptView } from './task-page.ts';
import type { Top } from './top-state.ts';
import { emptyTranscript, isAtTop, scrolled } from './transcript-view.ts';

/** A movement in a list or a text. */
export type Move = 'up' | 'down' | 'page-up' | 'page-down' | 'home' | 'end';

/** Moves the selection or scrolls the text; requests earlier rows when the first loaded row is reached. */
export function moved(top: Top, move: Move, rows: number): { top: Top; effects: { kind: 'earlier' }[] } {
  const by = stepsOf(move, rows);
  switch (top.page.kind) {
    case 'runs': {
      const keys = runsInOrder(top).map(({ run }) => run);
      return { top: { ...top, selected: { ...top.selected, run: stepped(keys, top.selected.run, by) } }, effects: [] };
    }
    case 'run': {
      const keys = taskKeys(top, rows);
      return {
        top: { ...top, selected: { ...top.selected, task: stepped(keys, top.selected.task, by) } },
        effects: [],
      };
    }
    case 'task': {
      const view = transcriptView({ top }, rows);
      const transcript = scrolled(top.transcript, by, view);
      const isAtEarliest = by < 0 && transcript.earlier > 0 && isAtTop(transcript, view);
      return { top: { ...top, transcript }, effects: isAtEarliest ? [{ kind: 'earlier' }] : [] };
    }
  }
}

/** Opens the selected row. */
export function opened(top: Top): Top {
  const { page, selected } = top;
  if (page.kind === 'runs' && selected.run !== null) {
    const filters = { ...top.filters, run: '' };
    return { ...top, filters, page: { kind: 'run', run: selected.run }, selected: { ...selected, task: null } };
  }
  if (page.kind === 'run' && selected.task !== null) {
    const filters = { ...top.filters, task: '' };
    const transcript = emptyTranscript();
    return { ...top, filters, transcript, page: { kind: 'task', run: page.run, task: selected.task, attempt: null } };
  }
  return top;
}

/** Clears the filter, or leaves the page. */
export function wentBack(top: Top): Top {
  const { page, filters } = top;
  if (filters[page.kind] !== '') return { ...top, filters: { ...filters, [page.kind]: '' } };
  switch (page.kind) {
    case 'runs':
      return top;
    case 'run':
      return { ...top, page: { kind: 'runs' } };
    case 'task':
      return { ...top, page: { kind: 'run', run: page.run } };
  }
}

/** Keeps the selection on an existing row: if its row is gone, on the first one. */
export function withValidSelection(top: Top, rows: number): Top {
  const { selected } = top;
  const runs = runsInOrder(top);
  const run = runs.some(({ run: id }) => id === selected.run) ? selected.run : (runs[0]?.run ?? null);
  if (top.page.kind !== 'run')
    return run === selected.run || top.page.kind === 'task' ? top : { ...top, selected: { ...selected, run } };
  const keys = taskKeys(top, rows);
  const task = selected.task !== null && keys.includes(selected.task) ? selected.task : firstOf(top, keys);
  return task === selected.task ? top : { ...top, selected: { ...selected, task } };
}

function taskKeys({ state, filters }: Top, rows: number): string[] {
  return state === undefined ? [] : tasksInOrder(state, { filter: filters.run, rows }).map(({ spec }) => spec.key);
}

/** A task that needs the user, else a running one, else the first. */
function firstOf({ state }: Top, keys: readonly string[]): string | null {
  const find = (...statuses: string[]) => keys.find((key) => statuses.includes(state?.tasks[key]?.phase.status ?? ''));
  return find('held', 'blocked') ?? find('running') ?? keys[0] ?? null;
}

function stepsOf(move: Move, rows: number): number {
  switch (move) {
    case 'up':
      return -1;
    case 'down':
      return 1;
    case 'page-up':
      return -Math.max(rows - 1, 1);
    case 'page-down':
      return Math.max(rows - 1, 1);
    case 'home':
      return Number.NEGATIVE_INFINITY;
    case 'end':
      return Number.POSITIVE_INFINITY;
  }
}

function stepped(keys: readonly string[], from: string | null, by: number): string | null {
  const at = from === null ? 0 : Math.max(keys.indexOf(from), 0);
  return keys[Math.min(Math.max(at + by, 0), keys.length - 1)] ?? null;
}
