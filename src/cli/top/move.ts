import { runsInOrder, tasksInOrder } from './rows.ts';
import { transcriptView } from './task-page.ts';
import type { Top } from './top.ts';
import { emptyTranscript, isAtTop, scrolled } from './transcript-view.ts';

/** A way to go in a list or a text. */
export type Move = 'up' | 'down' | 'page-up' | 'page-down' | 'home' | 'end';

/** The cursor, or the text, moved; asks for what stands before the text where that is reached. */
export function moved(top: Top, move: Move, room: number): { top: Top; asks: { kind: 'earlier' }[] } {
  const by = stepsOf(move, room);
  switch (top.page.kind) {
    case 'runs': {
      const keys = runsInOrder(top).map(({ run }) => run);
      return { top: { ...top, chosen: { ...top.chosen, run: stepped(keys, top.chosen.run, by) } }, asks: [] };
    }
    case 'run': {
      const keys = taskKeys(top, room);
      return { top: { ...top, chosen: { ...top.chosen, task: stepped(keys, top.chosen.task, by) } }, asks: [] };
    }
    case 'task': {
      const view = transcriptView({ top }, room);
      const transcript = scrolled(top.transcript, by, view);
      const isAtEarliest = by < 0 && transcript.earlier > 0 && isAtTop(transcript, view);
      return { top: { ...top, transcript }, asks: isAtEarliest ? [{ kind: 'earlier' }] : [] };
    }
  }
}

/** Into what the cursor is on. */
export function opened(top: Top): Top {
  const { page, chosen } = top;
  if (page.kind === 'runs' && chosen.run !== null) {
    const filters = { ...top.filters, run: '' };
    return { ...top, filters, page: { kind: 'run', run: chosen.run }, chosen: { ...chosen, task: null } };
  }
  if (page.kind === 'run' && chosen.task !== null) {
    const filters = { ...top.filters, task: '' };
    const transcript = emptyTranscript();
    return { ...top, filters, transcript, page: { kind: 'task', run: page.run, task: chosen.task, attempt: null } };
  }
  return top;
}

/** Out of the filter, then out of the page. */
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

/** The cursor on a row that is there: where its own has gone, on the first one. */
export function settled(top: Top, room: number): Top {
  const { chosen } = top;
  const runs = runsInOrder(top);
  const run = runs.some((one) => one.run === chosen.run) ? chosen.run : (runs[0]?.run ?? null);
  if (top.page.kind !== 'run')
    return run === chosen.run || top.page.kind === 'task' ? top : { ...top, chosen: { ...chosen, run } };
  const keys = taskKeys(top, room);
  const task = chosen.task !== null && keys.includes(chosen.task) ? chosen.task : firstOf(top, keys);
  return task === chosen.task ? top : { ...top, chosen: { ...chosen, task } };
}

function taskKeys({ state, filters }: Top, room: number): string[] {
  return state === undefined ? [] : tasksInOrder(state, { filter: filters.run, room }).map(({ spec }) => spec.key);
}

/** The one that needs a person, else one that runs, else the first. */
function firstOf({ state }: Top, keys: readonly string[]): string | null {
  const find = (...statuses: string[]) => keys.find((key) => statuses.includes(state?.tasks[key]?.phase.status ?? ''));
  return find('held', 'blocked') ?? find('running') ?? keys[0] ?? null;
}

function stepsOf(move: Move, room: number): number {
  switch (move) {
    case 'up':
      return -1;
    case 'down':
      return 1;
    case 'page-up':
      return -Math.max(room - 1, 1);
    case 'page-down':
      return Math.max(room - 1, 1);
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
