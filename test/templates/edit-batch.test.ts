import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { editBatch } from '../../src/templates/batch.ts';

const TEXT = `# Every night
items:
  - Check the links # also of the docs
  - { prompt: Update the changelog, title: Changelog, context: { tone: dry } }
  - Count the stock
`;
const folder = mkdtempSync(join(tmpdir(), 'batch-'));
const files = { folder, ending: '.yaml', errorCode: 'BATCH_INVALID' } as const;
const file = join(folder, 'nightly.yaml');
const text = () => readFileSync(file, 'utf8');

beforeEach(() => writeFileSync(file, TEXT));
afterAll(() => rmSync(folder, { recursive: true }));

describe('one item of a batch', () => {
  it('is changed without what else its file says', async () => {
    const change = { kind: 'text', prompt: 'Write the changelog', title: null } as const;
    const { items } = await editBatch(files, 'nightly', { item: 2, was: 'Update the changelog', change });
    expect(items[1]).toEqual({ prompt: 'Write the changelog', context: { tone: 'dry' } });
    expect(text()).toContain('# Every night');
    expect(text()).toContain('Check the links # also of the docs');
  });

  it('gets a title where it was only a prompt', async () => {
    const change = { kind: 'text', prompt: 'Count it all', title: 'Stock' } as const;
    const { items } = await editBatch(files, 'nightly', { item: 3, was: 'Count the stock', change });
    expect(items[2]).toEqual({ prompt: 'Count it all', title: 'Stock' });
  });

  it('is moved and removed', async () => {
    const moved = await editBatch(files, 'nightly', {
      item: 3,
      was: 'Count the stock',
      change: { kind: 'move', to: 1 },
    });
    expect(moved.items.map(({ prompt }) => prompt)).toEqual([
      'Count the stock',
      'Check the links',
      'Update the changelog',
    ]);
    const left = await editBatch(files, 'nightly', { item: 2, was: 'Check the links', change: { kind: 'remove' } });
    expect(left.items.map(({ prompt }) => prompt)).toEqual(['Count the stock', 'Update the changelog']);
  });

  it('stays where somebody else changed the file, or the result would not be a batch', async () => {
    const remove = { kind: 'remove' } as const;
    const other = editBatch(files, 'nightly', { item: 1, was: 'Count the stock', change: remove });
    await expect(other).rejects.toThrow('has changed');
    const empty = { kind: 'text', prompt: ' ', title: null } as const;
    await expect(editBatch(files, 'nightly', { item: 1, was: 'Check the links', change: empty })).rejects.toThrow();
    expect(text()).toBe(TEXT);
    writeFileSync(file, 'items: [One]\n');
    await expect(editBatch(files, 'nightly', { item: 1, was: 'One', change: remove })).rejects.toThrow('at least one');
    expect(text()).toBe('items: [One]\n');
  });
});
