import { z } from 'zod';
import { notesSince } from '../../core/project/notes.ts';
import { Note, NoteScope, notesStream } from '../../schema/coordination/note.ts';
import { findProject, findRun, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';

const MOST_SHOWN = 100;
const LONGEST_SHOWN = 4_000;

/** Shows people the notes that agents wrote for each other. */
export const showNotes = operation({
  name: 'show-notes',
  where: 'anywhere',
  summary: 'Show the notes of agents of a run, a project or all projects, the newest first',
  http: 'GET /api/notes',
  allow: ['viewer', 'operator'],
  input: z.object({ ...RunRef, scope: NoteScope.default('project') }),
  output: z.array(Note.extend({ isWhole: z.boolean().describe('Whether text is the whole text.') })),
  run: async (app, { scope, ...ref }) => {
    const project = (await findProject(app, ref)).id;
    const run = scope === 'run' ? (await findRun(app, ref)).start.run : '';
    const notes = notesSince(app.notes.state(notesStream(scope, { run, project })), { prefix: '', after: 0 });
    return notes
      .reverse()
      .slice(0, MOST_SHOWN)
      .map((note) => ({
        ...note,
        text: note.text.slice(0, LONGEST_SHOWN),
        isWhole: note.text.length <= LONGEST_SHOWN,
      }));
  },
});
