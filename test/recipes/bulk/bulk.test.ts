import { describe, expect, it } from 'vitest';
import { bulk } from '../../../src/recipes/bulk/bulk.ts';
import { BulkInput } from '../../../src/schema/work-file.ts';
import { given, started } from '../../support/given.ts';

function begun(items: unknown[], more = {}, config = {}) {
  const input = BulkInput.parse({ items, ...more });
  return bulk.unfold(given(started({}, config)).state, input, undefined).add;
}

describe('a bulk of items', () => {
  it('is a task for each, held to its own files, which must parse', () => {
    const [spec] = begun([{ id: 'one', prompt: 'Say why', files: ['src/a.ts'], sideFiles: ['src/index.ts'] }]);
    expect(spec).toMatchObject({ key: 'item/1', name: 'one', role: 'bulk', access: 'write' });
    expect(spec?.gates).toContainEqual(expect.objectContaining({ gate: 'syntax' }));
    expect(spec?.gates).toContainEqual(
      expect.objectContaining({ gate: 'scope', allow: ['src/a.ts'], also: ['src/index.ts'] }),
    );
  });

  it('takes checks, patterns, tries and time from the item', () => {
    const item = {
      id: 'one',
      prompt: 'p',
      files: ['a'],
      check: ['make a'],
      requirePatterns: ['^//'],
      attempts: 7,
      timeoutSeconds: 9,
    };
    const [spec] = begun([item]);
    expect(spec?.gates).toContainEqual(expect.objectContaining({ gate: 'command', run: 'make a', own: true }));
    expect(spec?.gates).toContainEqual(expect.objectContaining({ gate: 'patterns', require: ['^//'], files: ['a'] }));
    expect(spec).toMatchObject({ retry: { attempts: 7 }, limits: { runtimeMs: 9000 } });
  });

  it('is titled by its file and the first paragraph of its prompt', () => {
    const [spec] = begun([{ id: 'one', prompt: 'Say why\n\nDetails:\n- owner: Ann', files: ['src/a.ts'] }]);
    expect(spec?.title).toBe('src/a.ts: Say why');
    expect(spec?.prompt).toContain('- owner: Ann');
  });

  it('lets buckets take turns', () => {
    const item = (id: string, bucket: string) => ({ id, prompt: 'p', files: [], bucket });
    const specs = begun([item('a1', 'a'), item('a2', 'a'), item('a3', 'a'), item('b1', 'b'), item('c1', 'c')]);
    expect(specs.map(({ name }) => name)).toEqual(['a1', 'b1', 'c1', 'a2', 'a3']);
  });

  it('works on the named items only', () => {
    const item = (id: string) => ({ id, prompt: 'p', files: [] });
    expect(begun([item('a'), item('b'), item('c')], { only: ['b'] }).map(({ key }) => key)).toEqual(['item/2']);
  });
});

describe('items that name the same file', () => {
  const item = (id: string, ...files: string[]) => ({ id, prompt: 'p', files });
  const input = BulkInput.parse({
    items: [item('a1', 'a'), item('b1', 'b'), item('a2', 'a'), item('ab', 'a', 'b'), item('free')],
  });

  function endedAs(states: Record<string, 'done' | 'failed' | 'running'>) {
    const { state } = given(started({ input }), { type: 'tasks.added', data: { specs: specsOf(Object.keys(states)) } });
    for (const [key, status] of Object.entries(states)) {
      const task = state.tasks[key];
      if (task === undefined) throw new Error(`no task ${key}`);
      if (status === 'done') task.phase = { status, at: 0, commit: null, reason: '' };
      if (status === 'failed') task.phase = { status, at: 0, reason: '', failure: null };
      if (status === 'running') task.phase = { status, attempt: 1 };
    }
    return state;
  }

  function specsOf(keys: string[]) {
    const all = BulkInput.parse({ items: input.items.map((entry) => ({ ...entry, files: [] })) });
    return bulk.unfold(given(started({ input })).state, all, undefined).add.filter(({ key }) => keys.includes(key));
  }

  function addedAfter(states: Record<string, 'done' | 'failed' | 'running'>, key: string) {
    const state = endedAs(states);
    return bulk.unfold(state, input, state.tasks[key]).add.map(({ name }) => name);
  }

  it('take turns, whatever became of the one before', () => {
    const first = bulk.unfold(given(started({ input })).state, input, undefined).add;
    expect(first.map(({ name }) => name)).toEqual(['a1', 'b1', 'free']);
    expect(addedAfter({ 'item/1': 'done', 'item/2': 'running' }, 'item/1')).toEqual(['a2']);
    expect(addedAfter({ 'item/1': 'failed', 'item/2': 'running' }, 'item/1')).toEqual(['a2']);
  });

  it('wait for all that come before them', () => {
    expect(addedAfter({ 'item/1': 'done', 'item/2': 'done', 'item/3': 'running' }, 'item/2')).toEqual([]);
    expect(addedAfter({ 'item/1': 'done', 'item/2': 'running', 'item/3': 'done' }, 'item/3')).toEqual([]);
    expect(addedAfter({ 'item/1': 'done', 'item/2': 'done', 'item/3': 'failed' }, 'item/3')).toEqual(['ab']);
  });
});
