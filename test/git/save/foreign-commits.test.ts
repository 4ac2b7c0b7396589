import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { variants } from '../../support/variants.ts';
import { commit, filesOf, sandbox, save, shell, tryShell, userRepository, workspace, write } from '../sandbox.ts';

/** A workspace's git directory, the git directory of another repository, and a commit of that one. */
type Victim = { own: string; other: string; oid: string };

function link(own: string, name: string, to: string): void {
  rmSync(join(own, name), { recursive: true, force: true });
  mkdirSync(dirname(join(own, name)), { recursive: true });
  symlinkSync(to, join(own, name));
}

function know({ own, oid }: Victim): void {
  write(own, { 'refs/heads/x': `${oid}\n` });
}

/** How an agent could make us save commits that it cannot read itself, so that its next attempt can read them. */
const WAYS: Record<string, (victim: Victim) => void> = {
  'linked logs': ({ own, other }) => link(own, 'logs', join(other, 'logs')),
  'linked refs': ({ own, other }) => link(own, 'refs', join(other, 'refs')),
  'a linked folder of refs': ({ own, other }) => link(own, 'refs/heads/x', join(other, 'refs/heads')),
  'a linked ref': ({ own, other }) => link(own, 'refs/heads/x', join(other, 'refs/heads/main')),
  'linked refs that are packed': ({ own, other }) => {
    shell(other, 'pack-refs', '--all');
    link(own, 'packed-refs', join(other, 'packed-refs'));
  },
  'linked worktrees': ({ own, other }) => {
    shell(join(other, '..'), 'worktree', 'add', '--quiet', '--detach', join(other, '../tree'));
    link(own, 'worktrees', join(other, 'worktrees'));
  },
  'a rebase in a linked folder': ({ own, other, oid }) => {
    write(other, { 'state/orig-head': `${oid}\n` });
    link(own, 'rebase-merge', join(other, 'state'));
  },
  'a known commit in a store to borrow from': know,
  'a known commit behind linked folders': (victim) => {
    const { own, other } = victim;
    know(victim);
    for (const name of readdirSync(join(other, 'objects')))
      if (name.length === 2) link(own, `objects/${name}`, join(other, 'objects', name));
  },
  'a known commit behind linked objects': (victim) => {
    const { own, other } = victim;
    know(victim);
    for (const name of readdirSync(join(other, 'objects')).filter((each) => each.length === 2))
      for (const file of readdirSync(join(other, 'objects', name)))
        link(own, `objects/${name}/${file}`, join(other, 'objects', name, file));
  },
  'a known commit behind a linked pack': (victim) => {
    const { own, other } = victim;
    know(victim);
    shell(other, 'repack', '-adq');
    link(own, 'objects/pack', join(other, 'objects/pack'));
  },
};
const SAMPLE = ['linked logs', 'a known commit in a store to borrow from', 'a known commit behind linked objects'];
const OTHERS = Object.keys(WAYS).filter((name) => !SAMPLE.includes(name));
const BORROWING = ['a known commit behind linked folders', 'a known commit behind linked objects'];

describe('no commit of another repository is saved, in whatever way the git directory leads to it', () => {
  test.each(variants(SAMPLE, OTHERS))('%s', async (name) => {
    const box = await sandbox();
    const path = await workspace(box);
    const own = join(path, '.git');
    const other = join(box.dir, 'other');
    const oid = userRepository(other, { 'secret.txt': 'canary-secret\n' });
    const stores = [join(box.mirror.dir, 'objects'), join(other, '.git/objects')];
    write(own, { 'objects/info/alternates': `${stores.slice(0, BORROWING.includes(name) ? 1 : 2).join('\n')}\n` });
    write(path, { 'new.txt': 'new\n' });
    WAYS[name]?.({ own, other: join(other, '.git'), oid });
    const saved = await save(box, path);
    expect(tryShell(box.mirror.dir, 'cat-file', '-e', oid)).toBe(false);
    expect(filesOf(box.mirror, saved.commit)).toMatchObject({ 'new.txt': 'new' });
  });
});

test('commits of a repository in the workspace that borrows from another one in it are saved', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  const first = commit(path, { 'first.txt': 'first\n' });
  shell(path, 'clone', '--quiet', '--shared', '.', 'copy');
  const second = commit(join(path, 'copy'), { 'second.txt': 'second\n' });
  await save(box, path);
  for (const oid of [first, second]) expect(tryShell(box.mirror.dir, 'cat-file', '-e', oid)).toBe(true);
});
