import { z } from 'zod';

/** How far a note is visible: in its run, in all runs of its project, or in all projects of the data directory. */
export const NoteScope = z.enum(['run', 'project', 'everywhere']);
export type NoteScope = z.infer<typeof NoteScope>;

/** The name of a note: words separated by slashes; it is never a path. */
export const NoteKey = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9][\w.-]*(\/[A-Za-z0-9][\w.-]*)*$/, 'is words separated by slashes, such as api/errors');

/** The longest note, in characters. */
export const LONGEST_NOTE = 32_768;

/** A note as agents and people see it. `version` counts the changes of its scope. */
export const Note = z.object({
  key: z.string(),
  text: z.string(),
  author: z.string().describe('The attempt that wrote it, as run-task-attempt, or the name of a person.'),
  at: z.number(),
  version: z.number().int(),
});
export type Note = z.infer<typeof Note>;

/** What happens to the notes of one scope; `call` is the id of the call that wrote it. */
export const NoteEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('note.written'),
    data: z.object({ key: z.string(), text: z.string(), call: z.string() }),
  }),
]);
export type NoteEvent = z.infer<typeof NoteEvent>;

/** The stream of the notes of a scope. */
export function notesStream(scope: NoteScope, { run, project }: { run: string; project: string }): string {
  switch (scope) {
    case 'run':
      return `notes/run/${run}`;
    case 'project':
      return `notes/project/${project}`;
    case 'everywhere':
      return 'notes/all';
  }
}
