import { z } from 'zod';
import { writeNote as decideNote } from '../../core/project/notes.ts';
import { LONGEST_NOTE, NoteKey, NoteScope, notesStream } from '../../schema/coordination/note.ts';
import { crashpoint } from '../../world.ts';
import { AttemptCaller } from '../attempt-caller.ts';
import { requireActive } from '../find-run.ts';
import { operation } from '../operation.ts';

/** Writes a note for other agents; one of the same key is replaced. */
export const writeNote = operation({
  name: 'write-note',
  where: 'engine',
  summary:
    'Write a note that other agents of the run, the project or all projects can read; replaces a note of the same key',
  http: { unreachable: 'An agent calls it through the socket of its attempt.' },
  allow: ['attempt'],
  input: z.object({
    ...AttemptCaller,
    key: NoteKey,
    text: z.string().min(1).max(LONGEST_NOTE),
    scope: NoteScope.default('run'),
  }),
  output: z.object({ key: z.string(), version: z.number().int() }),
  run: async (app, { run, key, text, scope, call }, { origin }) => {
    const active = requireActive(app, run);
    const stream = notesStream(scope, { run, project: active.project.id });
    const note = { key, text: active.redact(text), call };
    crashpoint('note.writing');
    const { notes, version } = await app.notes.update(stream, (state) => decideNote(state, note), origin);
    crashpoint('note.written');
    return { key, version: notes[key]?.version ?? version };
  },
});
