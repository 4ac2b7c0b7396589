import type { ProjectEvent } from '../../schema/event.ts';
import { redactForms } from '../redact.ts';
import type { ProjectState } from './project-state.ts';

/** Hides a run in lists, or shows it again; no event if nothing changes. */
export function hideRun(state: ProjectState, run: string, hidden: boolean): ProjectEvent[] {
  if ((state.hidden[run] === true) === hidden) return [];
  return [{ type: hidden ? 'run.hidden' : 'run.unhidden', data: { run } }];
}

/** Flags a run, with an optional note; flagging it again replaces the note. */
export function flagRun(state: ProjectState, run: string, note: string | undefined): ProjectEvent[] {
  const flag = state.flagged[run];
  const shown = note === undefined ? undefined : redactForms(note);
  if (flag !== undefined && (shown === undefined || flag.note === shown)) return [];
  return [{ type: 'run.flagged', data: { run, ...(shown === undefined || shown === '' ? {} : { note: shown }) } }];
}

/** Marks a run as read at a version, or, with 0, as unread again. */
export function readRun(state: ProjectState, run: string, version: number): ProjectEvent[] {
  return state.read[run] === version ? [] : [{ type: 'run.read', data: { run, version } }];
}

/** Removes the flag. */
export function unflagRun(state: ProjectState, run: string): ProjectEvent[] {
  return state.flagged[run] === undefined ? [] : [{ type: 'run.unflagged', data: { run } }];
}

/** Records that a run was moved from the database to its archive. */
export function recordArchived(run: string): ProjectEvent[] {
  return [{ type: 'run.archived', data: { run } }];
}

/** Records that a run was restored from its archive. */
export function recordRestored(run: string): ProjectEvent[] {
  return [{ type: 'run.restored', data: { run } }];
}

/** Files a run that starts: in its collection, and as the run of its item of a batch. */
export function fileNewRun(
  run: string,
  { collection, item }: { collection: string | undefined; item: { batch: string; item: number } | undefined },
): ProjectEvent[] {
  return [
    ...(collection === undefined
      ? []
      : [{ type: 'collection.filed' as const, data: { run, collection: redactForms(collection) } }]),
    ...(item === undefined ? [] : [{ type: 'batch.item-started' as const, data: { ...item, run } }]),
  ];
}
