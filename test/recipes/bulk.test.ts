import { describe, expect, it } from 'vitest';
import { bulk } from '../../src/recipes/bulk.ts';
import { BulkInput } from '../../src/schema/work-file.ts';
import { given, started } from '../support/given.ts';

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
