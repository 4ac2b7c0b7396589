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
    await using performed = await perform(
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
    expect(performed.result).not.toHaveProperty('failure');
    expect(await performed.read('deep/new.txt')).toBe('one\ntwo\n');
    expect(await performed.read('old.txt')).toBe('axb $& $1\n');
    expect(existsSync(join(performed.assignment.workspace, 'gone.txt'))).toBe(false);
    expect(performed.events.filter(({ type }) => type === 'file-change')).toEqual([
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
    await using performed = await perform([{ edit: { path: 'a.txt', find: 'text', replace: '' } }, { say: 'never' }], {
      prepare: (workspace) => writeFile(join(workspace, 'a.txt'), content),
    });
    expect(performed.exit).toEqual({ kind: 'exited', code: 1 });
    expect(performed.result.failure).toMatchObject({
      kind: 'implementation',
      message: expect.stringContaining(message),
    });
    expect(performed.events).not.toContainEqual({ type: 'text', text: 'never' });
    expect(await performed.read('a.txt')).toBe(content);
  });

  it.each([
    ['a linked folder', 'folder/file.txt'],
    ['a linked file', 'file.txt'],
    ['a link to nothing yet', 'dangling.txt'],
  ])('does not write out of the workspace through %s', async (_, path) => {
    await using performed = await perform([{ edit: { path, write: 'out' } }], {
      prepare: async (workspace) => {
        const outside = join(workspace, '..', 'outside');
        await mkdir(outside);
        await writeFile(join(outside, 'file.txt'), 'kept');
        await symlink(outside, join(workspace, 'folder'));
        await symlink(join(outside, 'file.txt'), join(workspace, 'file.txt'));
        await symlink(join(outside, 'new.txt'), join(workspace, 'dangling.txt'));
      },
    });
    expect(performed.result.failure?.message).toContain('is outside the workspace');
    expect(await performed.read('../outside/file.txt')).toBe('kept');
    expect(existsSync(join(performed.root, 'outside', 'new.txt'))).toBe(false);
  });

  it('runs a command in the workspace and shows its output', async () => {
    await using performed = await perform([{ run: 'pwd; echo oops >&2; exit 4' }]);
    const call = performed.events.find((event) => event.type === 'tool-call');
    expect(call).toMatchObject({ name: 'run', input: { command: 'pwd; echo oops >&2; exit 4' } });
    expect(performed.events).toContainEqual({
      type: 'tool-result',
      id: call?.type === 'tool-call' ? call.id : '',
      output: `${performed.assignment.workspace}\noops`,
      isError: true,
    });
    expect(performed.result).not.toHaveProperty('failure');
  });

  it.each([
    ['pass', 'exit 1'],
    ['fail', 'exit 0'],
  ])('fails when a command was expected to %s and did not', async (expected, run) => {
    await using performed = await perform([{ run, expect: expected }]);
    expect(performed.result.failure).toMatchObject({ kind: 'implementation', message: expect.stringContaining(run) });
  });

  it('fails with the kind and reset time that the scenario names', async () => {
    const before = Date.now();
    await using performed = await perform([
      { use: { costUsd: 0.1 } },
      { fail: { kind: 'rate-limit', message: 'Slow down', resetInSeconds: 60 } },
    ]);
    expect(performed.result.failure).toMatchObject({ kind: 'rate-limit', message: 'Slow down' });
    const resetAt = performed.result.failure?.resetAt ?? 0;
    expect(resetAt).toBeGreaterThanOrEqual(before + 60_000);
    expect(resetAt).toBeLessThanOrEqual(Date.now() + 60_000);
    expect(performed.result.usage).toMatchObject({ kind: 'known', costUsd: 0.1 });
  });

  it('commits all changes', async () => {
    await using performed = await perform(
      [{ edit: { path: 'new.txt', write: 'x' } }, { commit: '--amend is only text' }],
      {
        prepare: async (workspace) => {
          git(workspace, 'init', '--quiet');
          git(workspace, 'config', 'user.name', 'Test');
          git(workspace, 'config', 'user.email', 'test@localhost');
        },
      },
    );
    expect(performed.result).not.toHaveProperty('failure');
    expect(git(performed.assignment.workspace, 'log', '--format=%s', '--name-only')).toBe(
      '--amend is only text\n\nnew.txt\n',
    );
  });

  it.each([
    ['ours', 'top\nours\nend\n'],
    ['theirs', 'top\ntheirs\nend\n'],
    ['union', 'top\nours\ntheirs\nend\n'],
  ])('settles the conflicts of a merge in progress with %s', async (how, settled) => {
    await using performed = await perform([{ resolve: how }], { prepare: conflictIn });
    expect(performed.result).not.toHaveProperty('failure');
    expect(await performed.read('odd name.txt')).toBe(settled);
  });

  it('stops at exit: with 0 the turn succeeded', async () => {
    await using performed = await perform([{ say: 'enough' }, { exit: 0 }, { edit: { path: 'never.txt', write: '' } }]);
    expect(performed.result).toMatchObject({ text: 'enough' });
    expect(performed.result).not.toHaveProperty('failure');
    expect(existsSync(join(performed.assignment.workspace, 'never.txt'))).toBe(false);
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
