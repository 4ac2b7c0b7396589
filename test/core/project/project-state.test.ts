import { describe, expect, it } from 'vitest';
import {
  addCollection,
  fileRuns,
  removeCollection,
  renameCollection,
  unfileRuns,
} from '../../../src/core/project/collection.ts';
import { flagRun, hideRun, unflagRun } from '../../../src/core/project/filing.ts';
import { emptyProject, evolveProject, filingOf, type ProjectState } from '../../../src/core/project/project-state.ts';
import { ProjectEvent } from '../../../src/schema/event.ts';

const A = 'aaaaaaaa';
const B = 'bbbbbbbb';

function stateAfter(...decisions: ((state: ProjectState) => ProjectEvent[])[]): ProjectState {
  let state = emptyProject();
  let at = 1_000;
  for (const decide of decisions) {
    const events = decide(structuredClone(state)).map((event) => ProjectEvent.parse(event));
    state = events.reduce((before, event) => evolveProject(before, event, at), state);
    at += 1_000;
  }
  return state;
}

describe('the collections of a project', () => {
  it('hold each run once, and are made by the first run that is put into them', () => {
    const state = stateAfter(
      (s) => fileRuns(s, { runs: [A, B, A], collection: 'nightly' }),
      (s) => fileRuns(s, { runs: [B], collection: 'weekly' }),
    );
    expect(state.collections.map(({ name }) => name)).toEqual(['nightly', 'weekly']);
    expect(state.filed).toEqual({ [A]: 'nightly', [B]: 'weekly' });
    expect(fileRuns(state, { runs: [A], collection: 'nightly' })).toEqual([]);
  });

  it('are renamed with all that is in them, and removed without it', () => {
    const renamed = stateAfter(
      (s) => fileRuns(s, { runs: [A], collection: '__proto__' }),
      (s) => renameCollection(s, { name: '__proto__', to: 'constructor' }),
    );
    expect(filingOf(renamed, A).collection).toBe('constructor');
    const removed = removeCollection(renamed, 'constructor').reduce((s, event) => evolveProject(s, event, 1), renamed);
    expect([filingOf(removed, A).collection, removed.collections]).toEqual([null, []]);
  });

  it('refuse a name that is taken, an unknown one, and a run that is not in it', () => {
    const state = stateAfter(
      (s) => addCollection(s, 'nightly'),
      (s) => addCollection(s, 'weekly'),
    );
    expect(() => addCollection(state, 'nightly')).toThrow('A collection "nightly" already exists');
    expect(() => renameCollection(state, { name: 'nightly', to: 'weekly' })).toThrow('"weekly" already exists');
    expect(() => removeCollection(state, 'other')).toThrow('Existing collections: nightly, weekly');
    expect(() => unfileRuns(state, { runs: [A], collection: 'nightly' })).toThrow(`Run ${A} is not in`);
  });
});

describe('a run', () => {
  it('is hidden and shown again, and repeating it changes nothing', () => {
    const hidden = stateAfter((s) => hideRun(s, A, true));
    expect([filingOf(hidden, A).hidden, filingOf(hidden, B).hidden]).toEqual([true, false]);
    expect(hideRun(hidden, A, true)).toEqual([]);
    expect(
      filingOf(
        stateAfter(
          (s) => hideRun(s, A, true),
          (s) => hideRun(s, A, false),
        ),
        A,
      ).hidden,
    ).toBe(false);
  });

  it('keeps the last note of its flag until the flag is removed', () => {
    const flagged = stateAfter(
      (s) => flagRun(s, A, 'first'),
      (s) => flagRun(s, A, 'second'),
      (s) => flagRun(s, A, undefined),
    );
    expect(filingOf(flagged, A).flag).toEqual({ note: 'second', at: new Date(2_000).toISOString() });
    expect(
      filingOf(
        stateAfter(
          (s) => flagRun(s, A, undefined),
          (s) => unflagRun(s, A),
        ),
        A,
      ).flag,
    ).toBeNull();
    expect(unflagRun(emptyProject(), A)).toEqual([]);
  });
});
