import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readIndex } from '../../../src/git/save/index-file.ts';
import { treeId } from '../../../src/git/save/write-trees.ts';
import { folder, shell, write } from '../sandbox.ts';

const FILES = ['a', 'a.b', 'a-b/x', 'a0/x', 'b/c/d', 'b/c.d', 'b.c', 'é', 'run.sh', `${'long/'.repeat(30)}name`];

test.each(['sha1', 'sha256'] as const)(
  'the index is read, and the id of its tree is the one that git gives, with %s',
  async (format) => {
    const dir = folder();
    shell(dir, 'init', '-q', `--object-format=${format}`);
    write(dir, Object.fromEntries(FILES.map((name) => [name, `${name}\n`])));
    chmodSync(join(dir, 'run.sh'), 0o755);
    shell(dir, 'add', '-A');
    const index = join(dir, '.git/index');
    const before = await readIndex(index, format);
    expect(before.entries.map((entry) => entry.path).sort()).toEqual([...FILES].sort());
    expect(before.tree).toBeUndefined();
    const tree = shell(dir, 'write-tree');
    expect(treeId(before.entries, format)).toBe(tree);
    expect((await readIndex(index, format)).tree).toBe(tree);
    expect(treeId([], format)).toBe(shell(dir, 'hash-object', '-t', 'tree', '/dev/null'));
  },
);
