import { z } from 'zod';
import { notesSince } from '../../core/project/notes.ts';
import { Note, NoteScope, notesStream } from '../../schema/coordination/note.ts';
import { AttemptCaller } from '../attempt-caller.ts';
import { requireActive } from '../find-run.ts';
import { operation } from '../operation.ts';

/** The first characters of a text in a list; `read_note` returns all of it. */
const BEGINNING_CHARS = 200;
const MOST_LISTED = 100;

/** A note in a list: the beginning of its text. */
export const ListedNote = Note.extend({ isWhole: z.boolean().describe('Whether text is the whole text.') });

/** Lists notes, the newest first. */
export const listNotes = operation({
  name: 'list-notes',
  where: 'engine',
  summary: 'List the notes of a scope, the newest first, with the beginning of each text',
  http: { unreachable: 'An agent calls it through the socket of its attempt.' },
  allow: ['attempt'],
  input: z.object({
    ...AttemptCaller,
    scope: NoteScope.default('run'),
    prefix: z.string().max(200).default('').describe('Only keys that begin with this.'),
    before: z.number().int().positive().optional().describe('Only notes older than this version, for the next page.'),
  }),
  output: z.object({ notes: z.array(ListedNote), version: z.number().int() }),
  run: async (app, { run, scope, prefix, before = Number.POSITIVE_INFINITY }) => {
    const state = app.notes.state(notesStream(scope, { run, project: requireActive(app, run).project.id }));
    const notes = notesSince(state, { prefix, after: 0 })
      .filter(({ version }) => version < before)
      .reverse();
    return { notes: notes.slice(0, MOST_LISTED).map(shortened), version: state.version };
  },
});

function shortened(note: Note): z.infer<typeof ListedNote> {
  return { ...note, text: note.text.slice(0, BEGINNING_CHARS), isWhole: note.text.length <= BEGINNING_CHARS };
}
