import { AppError } from '../../errors.ts';
import type { Origin } from '../../schema/actor.ts';
import type { Note, NoteEvent } from '../../schema/coordination/note.ts';

/** The notes of one scope; the ids of the last calls, so that a repeated call writes nothing. */
export type NotesState = { notes: Record<string, Note>; calls: string[]; version: number };

type Recorded = { event: NoteEvent; at: number; origin?: Origin | undefined };

const MOST_NOTES = 1_000;
/** Calls are repeated within seconds of a restart; 50 agents make fewer calls than this in that time. */
const MOST_CALLS = 2_000;

export function emptyNotes(): NotesState {
  return { notes: {}, calls: [], version: 0 };
}

/** Writes or replaces a note; a call that was recorded before changes nothing. */
export function writeNote(state: NotesState, note: { key: string; text: string; call: string }): NoteEvent[] {
  if (state.calls.includes(note.call)) return [];
  if (!Object.hasOwn(state.notes, note.key) && Object.keys(state.notes).length >= MOST_NOTES)
    throw new AppError('REFUSED', `There are already ${MOST_NOTES} notes in this scope; replace one of them`);
  return [{ type: 'note.written', data: note }];
}

/** Folds one event into the notes of a scope. */
export function evolveNotes(state: NotesState | undefined, { event, at, origin }: Recorded): NotesState {
  const next = state ?? emptyNotes();
  const { key, text, call } = event.data;
  next.version += 1;
  next.notes[key] = { key, text, author: authorOf(origin), at, version: next.version };
  next.calls.push(call);
  if (next.calls.length > 2 * MOST_CALLS) next.calls = next.calls.slice(-MOST_CALLS);
  return next;
}

/** The notes whose keys begin with a prefix and that changed after a version, the oldest change first. */
export function notesSince({ notes }: NotesState, { prefix, after }: { prefix: string; after: number }): Note[] {
  return Object.values(notes)
    .filter(({ key, version }) => key.startsWith(prefix) && version > after)
    .sort((a, b) => a.version - b.version);
}

function authorOf(origin: Origin | undefined): string {
  const actor = origin?.actor;
  if (actor?.kind === 'agent') return actor.attempt;
  return actor !== undefined && 'name' in actor ? actor.name : 'manyhands';
}
