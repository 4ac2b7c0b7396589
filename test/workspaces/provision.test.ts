import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { showFile } from '../../src/git/read/diff.ts';
import { fingerprint } from '../../src/git/read/fingerprint.ts';
import { inspectRepository } from '../../src/git/read/repository.ts';
import { setupOf } from '../../src/workspaces/checkout.ts';
import { teardown } from '../../src/workspaces/provision.ts';
import { CheckedProject, shell } from '../gates/project.ts';

let project: CheckedProject | undefined;
afterEach(async () => {
  await project?.[Symbol.asyncDispose]();
  project = undefined;
});

type Making = Parameters<typeof CheckedProject.make>[0];
async function make(options: Partial<Making>): Promise<CheckedProject> {
  project = await CheckedProject.make({
    files: { 'a.txt': 'a', '.gitignore': '.env*\nsecrets/\nnode_modules/\n' },
    ...options,
  });
  return project;
}

it('copies only the ignored files that the user listed', async () => {
  const made = await make({
    untracked: { '.env': 'A=1', '.env.local': 'B=2', 'secrets/deep/key': 'k', 'secrets/other': 'o' },
    workspace: { copyFiles: ['.env', 'secrets/deep', 'not-there'] },
  });
  const { path, excluded } = await made.workspace();
  expect(excluded.sort()).toEqual(['.env', 'secrets/deep/key']);
  expect(await readFile(join(path, '.env'), 'utf8')).toBe('A=1');
  expect(await readFile(join(path, 'secrets/deep/key'), 'utf8')).toBe('k');
  await expect(stat(join(path, '.env.local'))).rejects.toThrow('ENOENT');
});

it('copies the listed files into the checkout of a check, and evidence is bound to them', async () => {
  const made = await make({
    files: { 'a.txt': 'a', '.env.test': 'of the commit', '.gitignore': '.env*\nsecrets/\n' },
    untracked: { '.env': 'A=1', '.env.local': 'B=2', '.env.test': 'of the user', 'secrets/key': 'k' },
    workspace: { copyFiles: ['.env', '.env.test', 'secrets'] },
  });
  expect(await made.check('test "$(cat .env secrets/key)" = A=1k && ! test -e .env.local', made.base)).toMatchObject({
    verdict: 'pass',
  });
  const setup = await setupOf(made.at(made.base));
  expect(await setupOf(made.at(made.base))).toBe(setup);
  await writeFile(join(made.root, '.env'), 'A=22');
  expect(await setupOf(made.at(made.base))).not.toBe(setup);
});

it('copies files of .worktreeinclude only if they are also ignored', async () => {
  const made = await make({
    files: { '.gitignore': '.env*\n', '.worktreeinclude': '.env*\n!.env.production\n*.txt\n', 'a.txt': 'tracked' },
    untracked: {
      '.env': '1',
      '.env.test': '2',
      '.env.production': '3',
      'sub/.env': '4',
      'untracked.txt': 'not ignored',
    },
  });
  const { excluded } = await made.workspace();
  expect(excluded.sort()).toEqual(['.env', '.env.test', 'sub/.env']);
});

it('refuses a file that is outside the repository through a link', async () => {
  const made = await make({ workspace: { copyFiles: ['.env'] } });
  await writeFile(join(made.folder, 'outside'), 'secret');
  await symlink('../outside', join(made.root, '.env'));
  await expect(made.workspace()).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('.env is outside'),
  });
});

it('refuses a folder outside the repository, also for files of .worktreeinclude', async () => {
  const made = await make({ workspace: { copyFiles: ['secrets/key'] } });
  await mkdir(join(made.folder, 'outside'));
  await writeFile(join(made.folder, 'outside', 'key'), 'secret');
  await symlink('../outside', join(made.root, 'secrets'));
  await expect(made.workspace()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});

it('copies the content of a link that stays inside, and refuses special files', async () => {
  const made = await make({ untracked: { '.env.real': 'A=1' }, workspace: { copyFiles: ['.env'] } });
  await symlink('.env.real', join(made.root, '.env'));
  const { path } = await made.workspace();
  expect(await readFile(join(path, '.env'), 'utf8')).toBe('A=1');
  await shell(made.root, 'rm .env && mkfifo .env');
  await expect(made.workspace()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});

it('does not write through a link of the commit itself', async () => {
  const made = await make({ files: { 'a.txt': 'a', '.gitignore': '.env\n' }, workspace: { copyFiles: ['conf/.env'] } });
  await mkdir(join(made.folder, 'outside'));
  await shell(
    made.root,
    `ln -s ${made.folder}/outside conf && git add conf && git -c user.name=u -c user.email=u@x commit -qm link && rm conf && mkdir conf && echo x >conf/.env`,
  );
  const again = await CheckedProject.open(made.folder, made.config);
  await expect(again.workspace()).rejects.toMatchObject({ code: 'REFUSED' });
  await expect(stat(join(made.folder, 'outside', '.env'))).rejects.toThrow('ENOENT');
});

it('never replaces a file of the commit, so that work on it is saved', async () => {
  const made = await make({
    files: { 'a.txt': 'committed' },
    untracked: { 'a.txt': 'edited' },
    workspace: { copyFiles: ['a.txt'] },
  });
  const { path, excluded } = await made.workspace();
  expect(excluded).toEqual([]);
  expect(await readFile(join(path, 'a.txt'), 'utf8')).toBe('committed');
});

it("keeps copied files out of the agent's commits and of saved work", async () => {
  const made = await make({
    files: { 'a.txt': 'a' },
    untracked: { '.env': 'A=1', 'odd [name]! #1 ': 'x', 'tail\\ ': 'y', 'ünï "q"': 'z', 'new\nline': 'n' },
    workspace: { copyFiles: ['.env', 'odd [name]! #1 ', 'tail\\ ', 'ünï "q"', 'new\nline'] },
  });
  const commit = await made.candidate(async (workspace) => {
    await writeFile(join(workspace, 'mine.txt'), 'mine');
    expect((await shell(workspace, 'git status --porcelain -z -uall')).split('\0').filter(Boolean).sort()).toEqual([
      '?? mine.txt',
      '?? new\nline',
    ]);
    await shell(workspace, 'git add -A && git commit -qm mine');
  });
  expect(await showFile(made.mirror, commit, 'mine.txt')).toBe('mine');
  for (const path of ['.env', 'new\nline', 'tail\\ '])
    expect(await showFile(made.mirror, commit, path)).toBeUndefined();
});

it('runs a set-up without copyable results in every workspace, and excludes what it creates', async () => {
  const made = await make({
    files: { 'a.txt': 'a' },
    workspace: { setup: ['git config local.ready yes', ['sh', '-c', 'git config local.also yes']] },
  });
  for (const workspace of [await made.workspace(), await made.workspace()]) {
    expect(await shell(workspace.path, 'git config local.ready && git config local.also')).toBe('yes\nyes\n');
    expect(workspace.excluded).toEqual([]);
  }
});

it('reports which set-up command failed, with its output, and ends one that takes too long', async () => {
  const failing = await make({ workspace: { setup: ['true', 'echo no such package; exit 7'] } });
  await expect(failing.workspace()).rejects.toMatchObject({
    code: 'SETUP_FAILED',
    message: expect.stringMatching(/no such package; exit 7" ended with exit code 7: no such package/),
  });
  await failing[Symbol.asyncDispose]();
  const endless = await make({ workspace: { setup: ['sleep 1000'], setupSeconds: 0.2 } });
  await expect(endless.workspace()).rejects.toMatchObject({
    code: 'SETUP_FAILED',
    message: expect.stringContaining('did not end within 0.2 s'),
  });
});

it.each([
  [
    'pip',
    ['ERROR: No matching distribution found for x', 'error: subprocess-exited-with-error', 'note: see above'],
    'ERROR: No matching distribution found for x',
  ],
  [
    'npm',
    [
      'npm error code ETARGET',
      'npm error notarget No matching version found for x',
      'npm error A complete log is in: y',
    ],
    'npm error notarget No matching version found for x',
  ],
  [
    'a program on an old Node',
    ['Error [ERR_UNKNOWN_BUILTIN_MODULE]: No such built-in module: z', '    at Module._load', 'Node.js v20.20.2'],
    'Error [ERR_UNKNOWN_BUILTIN_MODULE]: No such built-in module: z',
  ],
])('names the line in which %s states the error, not the notes after it', async (_, lines, stated) => {
  await using made = await make({ workspace: { setup: [`printf '%s\\n' '${lines.join("' '")}'; exit 1`] } });
  await expect(made.workspace()).rejects.toMatchObject({
    message: expect.stringContaining(`exit code 1: ${stated}`),
  });
});

it('runs the teardown commands in the workspace', async () => {
  const made = await make({ workspace: { teardown: ['pwd >../torn-down'] } });
  const { path } = await made.workspace();
  await teardown({ ...made.at(made.base), workspace: path });
  expect(await readFile(join(path, '..', 'torn-down'), 'utf8')).toBe(`${path}\n`);
});

it('runs commands in the service, and writes a script for the agent that does so', async () => {
  const made = await make({
    workspace: { docker: { service: 'web', workDir: "/srv/it's" }, setup: ['npm ci'], teardown: [['make', 'down']] },
  });
  const bin = join(made.folder, 'bin');
  await mkdir(bin);
  await writeFile(
    join(bin, 'docker'),
    `#!/bin/sh\nfor word; do printf '<%s>' "$word"; done >>${made.folder}/called\necho >>${made.folder}/called\n`,
  );
  await chmod(join(bin, 'docker'), 0o755);
  made.env.PATH = `${bin}:${made.env.PATH}`;
  const { path, excluded } = await made.workspace();
  expect(excluded).toEqual(['mh-run']);
  await shell(path, `PATH=${bin}:$PATH ./mh-run npm test -- 'a b'`);
  await teardown({ ...made.at(made.base), workspace: path });
  const prefix = "<compose><exec><-T><-w></srv/it's><web>";
  const calls = (await readFile(join(made.folder, 'called'), 'utf8')).trim().split('\n');
  expect([...new Set(calls)]).toEqual([
    `${prefix}<sh><-c><npm ci>`,
    `${prefix}<npm><test><--><a b>`,
    `${prefix}<make><down>`,
  ]);
});

it("does not change the user's checkout", async () => {
  const made = await make({
    untracked: { '.env': 'A=1', 'node_modules/x/i.js': '1' },
    workspace: { copyFiles: ['.env'] },
  });
  const before = await fingerprint(await inspectRepository(made.root));
  const { path } = await made.workspace();
  await writeFile(join(path, 'node_modules/x/i.js'), 'patched');
  await writeFile(join(path, '.env'), 'patched');
  expect(await fingerprint(await inspectRepository(made.root))).toBe(before);
  expect(await readFile(join(made.root, 'node_modules/x/i.js'), 'utf8')).toBe('1');
});
