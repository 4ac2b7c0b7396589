import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeRehearsalFixture } from './rehearsal-attempt.ts';

const { perform, close } = await makeRehearsalFixture();
afterAll(close);

describe('a rehearsed step', () => {
  it('edits files: write, append, find and replace, delete', async () => {
    await using played = await perform(
      [
        { edit: { path: 'deep/new.txt', write: 'one\n' } },
        { edit: { path: 'deep/new.txt', append: 'two\n' } },
        { edit: { path: 'old.txt', find: 'a.b', replace: '$& $1' } },
        { edit: { path: 'gone.txt', delete: true } },
      ],
      {
        prepare: async (workspace) => {
          await writeFile(join(workspace, 'old.txt'), 'axb a.b\n');
          await writeFile(join(workspace, 'gone.txt'), '');
        },
      },
    );
    expect(played.result).not.toHaveProperty('failure');
    expect(await played.read('deep/new.txt')).toBe('one\ntwo\n');
    expect(await played.read('old.txt')).toBe('axb $& $1\n');
    expect(existsSync(join(played.assignment.workspace, 'gone.txt'))).toBe(false);
    expect(played.events.filter(({ type }) => type === 'file-change')).toEqual([
      { type: 'file-change', path: 'deep/new.txt', change: 'added' },
      { type: 'file-change', path: 'deep/new.txt', change: 'modified' },
      { type: 'file-change', path: 'old.txt', change: 'modified' },
      { type: 'file-change', path: 'gone.txt', change: 'deleted' },
    ]);
  });

  it.each([
    ['is missing', 'other', 'a.txt does not contain "text"'],
    ['is ambiguous', 'text text', 'a.txt contains "text" 2 times'],
  ])('fails loudly when the text to replace %s', async (_, content, message) => {
    await using played = await perform([{ edit: { path: 'a.txt', find: 'text', replace: '' } }, { say: 'never' }], {
      prepare: (workspace) => writeFile(join(workspace, 'a.txt'), content),
    });
    expect(played.exit).toEqual({ kind: 'exited', code: 1 });
    expect(played.result.failure).toMatchObject({ kind: 'implementation', message: expect.stringContaining(message) });
    expect(played.events).not.toContainEqual({ type: 'text', text: 'never' });
    expect(await played.read('a.txt')).toBe(content);
  });

  it.each([
    ['a linked folder', 'folder/file.txt'],
    ['a linked file', 'file.txt'],
    ['a link to nothing yet', 'dangling.txt'],
  ])('does not write out of the workspace through %s', async (_, path) => {
    await using played = await perform([{ edit: { path, write: 'out' } }], {
      prepare: async (workspace) => {
        const outside = join(workspace, '..', 'outside');
        await mkdir(outside);
        await writeFile(join(outside, 'file.txt'), 'kept');
        await symlink(outside, join(workspace, 'folder'));
        await symlink(join(outside, 'file.txt'), join(workspace, 'file.txt'));
        await symlink(join(outside, 'new.txt'), join(workspace, 'dangling.txt'));
      },
    });
    expect(played.result.failure?.message).toContain('is outside the workspace');
    expect(await played.read('../outside/file.txt')).toBe('kept');
    expect(existsSync(join(played.root, 'outside', 'new.txt'))).toBe(false);
  });

  it('runs a command in the workspace and shows its output', async () => {
    await using played = await perform([{ run: 'pwd; echo oops >&2; exit 4' }]);
    const call = played.events.find((event) => event.type === 'tool-call');
    expect(call).toMatchObject({ name: 'run', input: { command: 'pwd; echo oops >&2; exit 4' } });
    expect(played.events).toContainEqual({
      type: 'tool-result',
      id: call?.type === 'tool-call' ? call.id : '',
      output: `${played.assignment.workspace}\noops`,
      isError: true,
    });
    expect(played.result).not.toHaveProperty('failure');
  });

  it.each([
    ['pass', 'exit 1'],
    ['fail', 'exit 0'],
  ])('fails when a command was expected to %s and did not', async (expected, run) => {
    await using played = await perform([{ run, expect: expected }]);
    expect(played.result.failure).toMatchObject({ kind: 'implementation', message: expect.stringContaining(run) });
  });

  it('fails with the kind and reset time that the scenario names', async () => {
    const before = Date.now();
    await using played = await perform([
      { use: { costUsd: 0.1 } },
      { fail: { kind: 'rate-limit', message: 'Slow down', resetInSeconds: 60 } },
    ]);
    expect(played.result.failure).toMatchObject({ kind: 'rate-limit', message: 'Slow down' });
    const resetAt = played.result.failure?.resetAt ?? 0;
    expect(resetAt).toBeGreaterThanOrEqual(before + 60_000);
    expect(resetAt).toBeLessThanOrEqual(Date.now() + 60_000);
    expect(played.result.usage).toMatchObject({ kind: 'known', costUsd: 0.1 });
  });

  it('commits all changes', async () => {
    await using played = await perform(
      [{ edit: { path: 'new.txt', write: 'x' } }, { commit: '--amend is only text' }],
      {
        prepare: async (workspace) => {
          git(workspace, 'init', '--quiet');
          git(workspace, 'config', 'user.name', 'Test');
          git(workspace, 'config', 'user.email', 'test@localhost');
        },
      },
    );
    expect(played.result).not.toHaveProperty('failure');
    expect(git(played.assignment.workspace, 'log', '--format=%s', '--name-only')).toBe(
      '--amend is only text\n\nnew.txt\n',
    );
  });

  it.each([
    ['ours', 'top\nours\nend\n'],
    ['theirs', 'top\ntheirs\nend\n'],
    ['union', 'top\nours\ntheirs\nend\n'],
  ])('settles the conflicts of a merge in progress with %s', async (how, settled) => {
    await using played = await perform([{ resolve: how }], { prepare: conflictIn });
    expect(played.result).not.toHaveProperty('failure');
    expect(await played.read('odd name.txt')).toBe(settled);
  });

  it('stops at exit: with 0 the turn succeeded', async () => {
    await using played = await perform([{ say: 'enough' }, { exit: 0 }, { edit: { path: 'never.txt', write: '' } }]);
    expect(played.result).toMatchObject({ text: 'enough' });
    expect(played.result).not.toHaveProperty('failure');
    expect(existsSync(join(played.assignment.workspace, 'never.txt'))).toBe(false);
  });

  it('keeps the session that it resumes, and names a new one otherwise', async () => {
    await using fresh = await perform([]);
    await using resumed = await perform([], { session: 'earlier' });
    expect(fresh.result.session).toBe('rehearsal-abcdefgh-1-2');
    expect(resumed.result.session).toBe('earlier');
  });
});

async function conflictIn(workspace: string): Promise<void> {
  const file = join(workspace, 'odd name.txt');
  const commit = async (text: string) => {
    await writeFile(file, text);
    git(workspace, 'add', '--all');
    git(workspace, 'commit', '--quiet', '-m', 'Change');
  };
  git(workspace, 'init', '--quiet', '--initial-branch=main');
  await commit('top\nbase\nend\n');
  git(workspace, 'checkout', '--quiet', '-b', 'side');
  await commit('top\ntheirs\nend\n');
  git(workspace, 'checkout', '--quiet', 'main');
  await commit('top\nours\nend\n');
  git(workspace, '-c', 'merge.conflictStyle=diff3', 'merge', 'side');
  if (!(await readFile(file, 'utf8')).includes('|||||||')) throw new Error('There is no conflict to settle');
}

function git(workspace: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost'];
  return spawnSync('git', ['-C', workspace, ...identity, ...args], { encoding: 'utf8' }).stdout;
}
