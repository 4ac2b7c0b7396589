import { z } from 'zod';
import { notesSince } from '../../core/project/notes.ts';
import { Note, NoteScope, notesStream } from '../../schema/coordination/note.ts';
import { AttemptCaller, WaitSeconds } from '../attempt-caller.ts';
import { requireActive } from '../find-run.ts';
import { operation } from '../operation.ts';
import { waitForChange } from '../wait-for-change.ts';

const MOST_NOTES = 20;

/** Waits for notes that are written after a version. */
export const watchNotes = operation({
  name: 'watch-notes',
  where: 'engine',
  summary: 'Wait until notes are written, at most 90 seconds; call it again with the returned version to continue',
  http: { unreachable: 'An agent calls it through the socket of its attempt.' },
  allow: ['attempt'],
  input: z.object({
    ...AttemptCaller,
    scope: NoteScope.default('run'),
    prefix: z.string().max(200).default('').describe('Only keys that begin with this.'),
    seconds: WaitSeconds,
    after: z
      .number()
      .int()
      .nonnegative()
      .describe('The version that the last call, or list_notes, returned; 0: all notes.'),
  }),
  output: z.object({ notes: z.array(Note), version: z.number().int() }),
  run: async (app, { run, task, scope, prefix, after, seconds }, { signal }) => {
    const stream = notesStream(scope, { run, project: requireActive(app, run).project.id });
    const read = () => notesSince(app.notes.state(stream), { prefix, after }).slice(0, MOST_NOTES);
    const found = await waitForChange(app, { caller: { run, task }, streams: [stream], seconds, signal }, () => {
      const notes = read();
      return notes.length === 0 ? undefined : notes;
    });
    return { notes: found ?? [], version: found?.at(-1)?.version ?? Math.max(after, app.notes.state(stream).version) };
  },
});
