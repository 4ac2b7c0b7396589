import { describe, expect, it } from 'vitest';
import { emptyNotes, evolveNotes, type NotesState, notesSince, writeNote } from '../../../src/core/project/notes.ts';
import { NoteKey } from '../../../src/schema/coordination/note.ts';

function written(state: NotesState, key: string, text: string, call: string): NotesState {
  const origin = { actor: { kind: 'agent', attempt: 'aaaaaaaa-1-1' }, via: 'mcp' } as const;
  return writeNote(state, { key, text, call }).reduce(
    (before, event) => evolveNotes(before, { event, at: 1, origin }),
    state,
  );
}

describe('notes', () => {
  it('are replaced by key, with their author and the version of the change', () => {
    const state = written(written(written(emptyNotes(), 'api', 'one', 'a'), 'db', 'two', 'b'), 'api', 'three', 'c');
    expect(notesSince(state, { prefix: '', after: 1 })).toMatchObject([
      { key: 'db', text: 'two', version: 2, author: 'aaaaaaaa-1-1' },
      { key: 'api', text: 'three', version: 3 },
    ]);
    expect(notesSince(state, { prefix: 'd', after: 0 }).map(({ key }) => key)).toEqual(['db']);
  });

  it('are not written again by a call that is repeated', () => {
    const state = written(written(emptyNotes(), 'api', 'one', 'a'), 'api', 'two', 'b');
    expect(writeNote(state, { key: 'api', text: 'one', call: 'a' })).toEqual([]);
  });

  it('are limited in number', () => {
    let state = emptyNotes();
    for (let index = 0; index < 1_000; index += 1) state = written(state, `key-${index}`, 'x', `call-${index}`);
    expect(() => writeNote(state, { key: 'one-more', text: 'x', call: 'z' })).toThrow('1000 notes');
    expect(writeNote(state, { key: 'key-7', text: 'y', call: 'z' })).toHaveLength(1);
  });

  it('have keys that are no paths', () => {
    for (const key of ['../x', '/etc/passwd', 'a/../b', 'a//b', '.hidden', 'a/', '', 'a b', '__proto__/x', 'a\0'])
      expect(NoteKey.safeParse(key).success, key).toBe(false);
    for (const key of ['api', 'api/errors', 'a.b-c_d/2']) expect(NoteKey.safeParse(key).success, key).toBe(true);
  });
});
