import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { identify } from '../../src/process/identity.ts';
import { clearLeftovers, gateCheckout, seedForCommit } from '../../src/workspaces/checkout.ts';
import { foldersToCopy } from '../../src/workspaces/included.ts';
import { applySeed } from '../../src/workspaces/seed.ts';
import { CheckedProject, shell } from '../gates/project.ts';

/** An installer that counts its runs and installs what the lockfile names. */
const INSTALL = 'mkdir -p node_modules/dep && cp package-lock.json node_modules/dep/index.js && echo run >>"$COUNT"';
const FILES = { 'a.txt': 'a', '.gitignore': 'node_modules/\n', 'package-lock.json': 'version 1' };

let project: CheckedProject | undefined;
afterEach(async () => {
  await project?.[Symbol.asyncDispose]();
  project = undefined;
});

async function make(options: Partial<Parameters<typeof CheckedProject.make>[0]>): Promise<CheckedProject> {
  project = await CheckedProject.make({ files: FILES, ...options });
  project.env.COUNT = join(project.folder, 'count');
  return project;
}

const runs = async (made: CheckedProject) =>
  (await readFile(join(made.folder, 'count'), 'utf8')).trim().split('\n').length;

describe('a seed created by set-up commands', () => {
  it('is created once and copied to every workspace and checkout', async () => {
    const made = await make({ workspace: { setup: [INSTALL] } });
    const [one, two] = await Promise.all([made.workspace(), seedForCommit(made.at(made.base))]);
    expect(one.excluded).toEqual(['node_modules']);
    expect(two.entries).toEqual(['node_modules']);
    await using checkout = await gateCheckout(made.at(made.base));
    expect(await readFile(join(checkout.path, 'node_modules/dep/index.js'), 'utf8')).toBe('version 1');
    expect(await runs(made)).toBe(1);
  });

  it('differs for another lockfile, and so does the hash that evidence is bound to', async () => {
    const made = await make({ workspace: { setup: [INSTALL] } });
    const same = await made.candidate((workspace) => writeFile(join(workspace, 'a.txt'), 'b'));
    const other = await made.candidate((workspace) => writeFile(join(workspace, 'package-lock.json'), 'version 2'));
    await using first = await gateCheckout(made.at(made.base));
    await using second = await gateCheckout(made.at(same));
    await using third = await gateCheckout(made.at(other));
    expect(second.setup).toBe(first.setup);
    expect(third.setup).not.toBe(first.setup);
    expect(await readFile(join(third.path, 'node_modules/dep/index.js'), 'utf8')).toBe('version 2');
    expect(await runs(made)).toBe(2);
  });

  it('differs when a script of the set-up differs', async () => {
    const made = await make({
      files: { ...FILES, 'scripts/install.sh': INSTALL },
      workspace: { setup: ['sh scripts/install.sh'] },
    });
    const patched = await made.candidate((workspace) =>
      writeFile(join(workspace, 'scripts/install.sh'), `${INSTALL} && echo evil >node_modules/dep/index.js`),
    );
    await using evil = await gateCheckout(made.at(patched));
    await using good = await gateCheckout(made.at(made.base));
    expect(await readFile(join(evil.path, 'node_modules/dep/index.js'), 'utf8')).toBe('evil\n');
    expect(await readFile(join(good.path, 'node_modules/dep/index.js'), 'utf8')).toBe('version 1');
  });

  it('is created again when a file in it was changed, even with its size and time restored', async () => {
    const made = await make({ workspace: { setup: [INSTALL] } });
    const seed = await seedForCommit(made.at(made.base));
    const file = join(seed.files, 'node_modules/dep/index.js');
    await shell(made.folder, `cp -p ${file} times && printf 'version 9' >${file} && touch -r times ${file}`);
    await using checkout = await gateCheckout(made.at(made.base));
    expect(await readFile(join(checkout.path, 'node_modules/dep/index.js'), 'utf8')).toBe('version 1');
    expect(await runs(made)).toBe(2);
  });

  it('does not change when a workspace changes its copy', async () => {
    const made = await make({ workspace: { setup: [INSTALL] } });
    const { path } = await made.workspace();
    await writeFile(join(path, 'node_modules/dep/index.js'), 'patched');
    const next = await made.workspace();
    expect(await readFile(join(next.path, 'node_modules/dep/index.js'), 'utf8')).toBe('version 1');
    expect(await runs(made)).toBe(1);
  });

  it('is created by a waiting caller when the first one is cancelled', async () => {
    const made = await make({ workspace: { setup: [`${INSTALL} && echo started >"$FIFO" && read -r go <"$GO"`] } });
    const fifo = join(made.folder, 'fifo');
    await shell(made.folder, 'mkfifo fifo go');
    Object.assign(made.env, { FIFO: fifo, GO: join(made.folder, 'go') });
    const controller = new AbortController();
    const first = seedForCommit({ ...made.at(made.base), signal: controller.signal });
    const cancelled = expect(first).rejects.toThrow('cancelled by the test');
    await readFile(fifo);
    const second = seedForCommit(made.at(made.base));
    controller.abort(new Error('cancelled by the test'));
    await cancelled;
    await readFile(fifo);
    await writeFile(join(made.folder, 'go'), 'go\n');
    expect((await second).entries).toEqual(['node_modules']);
  });

  it('is not kept when the set-up fails, and the gate cannot run', async () => {
    const made = await make({ workspace: { setup: ['mkdir node_modules && exit 1'] } });
    expect(await made.check('true', made.base)).toMatchObject({
      verdict: 'error',
      summary: expect.stringContaining('exit code 1'),
    });
    expect(await readdir(join(made.home, 'seeds/project'))).toEqual([]);
    expect(await readdir(join(made.home, 'checkouts/project'))).toEqual([]);
  });

  it('omits a Python environment, which works only at its own path', async () => {
    const made = await make({ workspace: { setup: ['mkdir .venv && pwd >.venv/pyvenv.cfg'] } });
    const { path, excluded } = await made.workspace();
    expect(excluded).toEqual(['.venv']);
    expect(await readFile(join(path, '.venv/pyvenv.cfg'), 'utf8')).toBe(`${path}\n`);
  });

  it.each([
    ['"../../../home/.yarn/berry/cache/a.zip/node_modules/a/"', true],
    ['"./.yarn/__virtual__/a-virtual-1/4/home/.yarn/berry/cache/a.zip/node_modules/a/"', true],
    ['"./.yarn/__virtual__/a-virtual-1/0/cache/a.zip/node_modules/a/"', false],
    ['"./.yarn/cache/a.zip/node_modules/a/"', false],
  ])("with Yarn's list of packages that has %s is made in each workspace: %s", async (location, isInEach) => {
    const list = `{"packageLocation": ${location}}`;
    const made = await make({
      files: { '.gitignore': '.pnp.cjs\nplace\n' },
      workspace: { setup: [`printf '%s' '${list}' >.pnp.cjs; pwd >place`] },
    });
    const { path } = await made.workspace();
    expect(await readFile(join(path, '.pnp.cjs'), 'utf8')).toBe(list);
    expect((await readFile(join(path, 'place'), 'utf8')) === `${path}\n`).toBe(isInEach);
  });

  it('ends a daemon of the set-up', async () => {
    const made = await make({ workspace: { setup: [`${INSTALL}; setsid sleep 1000 & echo $! >"$COUNT.pid"`] } });
    await made.workspace();
    expect(identify(Number(await readFile(join(made.folder, 'count.pid'), 'utf8')))).toBeUndefined();
  });
});

describe('a seed of copied folders and set-up commands', () => {
  const copyDirs = ['deps', 'node_modules'];
  const untracked = { 'deps/a': 'copied', 'node_modules/dep/index.js': 'of the user', '.env': 'KEY=1' };
  const files = { ...FILES, '.gitignore': 'deps/\nnode_modules/\n.env\n' };

  it('has the folders of copyDirs, which the set-up can use, and what the set-up creates', async () => {
    const setup = ['grep -q KEY .env && cp deps/a made && echo patched >>deps/a && echo run >>"$COUNT"'];
    const made = await make({ files, untracked, workspace: { copyDirs, setup, copyFiles: ['.env'] } });
    const { path, excluded } = await made.workspace();
    await using checkout = await gateCheckout(made.at(made.base));
    for (const folder of [path, checkout.path]) {
      expect(await readFile(join(folder, 'made'), 'utf8')).toBe('copied');
      expect(await readFile(join(folder, 'deps/a'), 'utf8')).toBe('copiedpatched\n');
      expect(await readFile(join(folder, 'node_modules/dep/index.js'), 'utf8')).toBe('of the user');
    }
    expect(excluded.sort()).toEqual(['.env', 'deps', 'made', 'node_modules']);
    expect(await readFile(join(made.root, 'deps/a'), 'utf8')).toBe('copied');
    expect(await runs(made)).toBe(1);
  });

  it('runs a set-up that creates nothing in each workspace, after the copy', async () => {
    const made = await make({ files, untracked, workspace: { copyDirs, setup: ['cat deps/a >>"$COUNT"'] } });
    const { path, excluded } = await made.workspace();
    await using checkout = await gateCheckout(made.at(made.base));
    expect(await readdir(path)).toEqual(expect.arrayContaining(copyDirs));
    expect(await readdir(checkout.path)).toEqual(expect.arrayContaining(copyDirs));
    expect(excluded.sort()).toEqual(copyDirs);
    expect(await readFile(join(made.folder, 'count'), 'utf8')).toBe('copied'.repeat(3));
  });

  it('leaves out modules that the set-up installs, and Python environments', async () => {
    const list = (setup: string[]) =>
      foldersToCopy({ root: folder, config: { copyDirs: [...copyDirs, '.venv'], setup } });
    const environment = { '.venv/pyvenv.cfg': '', '.venv/bin/pytest': '' };
    const made = await make({
      files: { ...files, '.gitignore': `${files['.gitignore']}.venv/\n` },
      untracked: { ...untracked, ...environment },
    });
    const folder = made.root;
    expect((await list([])).sort()).toEqual(['.venv', 'deps', 'node_modules']);
    for (const install of ['npm ci', 'npm ci --no-audit && npm run build', 'pnpm install --frozen-lockfile', 'yarn'])
      expect(await list([install]), install).toEqual(['deps']);
    for (const other of ['npm run generate', 'cd web && npm ci', 'npm ci --prefix web', 'npm i extra'])
      expect(await list([other]), other).toEqual(copyDirs);
  });
});

describe("a seed copied from the user's checkout", () => {
  const untracked = { 'node_modules/dep/index.js': 'installed', 'packages/a/node_modules/b/index.js': 'nested' };

  it('contains the ignored folders of the given names, also nested ones', async () => {
    const made = await make({ files: { ...FILES, 'packages/a/x': '' }, untracked });
    const { path, excluded } = await made.workspace();
    expect(excluded.sort()).toEqual(['node_modules', 'packages/a/node_modules']);
    expect(await readFile(join(path, 'packages/a/node_modules/b/index.js'), 'utf8')).toBe('nested');
  });

  it('has no link into the original', async () => {
    const made = await make({ files: { ...FILES, 'packages/a/index.js': 'a' }, untracked });
    await symlink(join(made.root, 'packages/a'), join(made.root, 'node_modules/a'));
    await symlink('../packages/a', join(made.root, 'node_modules/also-a'));
    const { path } = await made.workspace();
    expect(await readlink(join(path, 'node_modules/a'))).toBe('../packages/a');
    await writeFile(join(path, 'node_modules/a/index.js'), 'patched');
    expect(await readFile(join(made.root, 'packages/a/index.js'), 'utf8')).toBe('a');
  });

  it('is created again when the user installs', async () => {
    const made = await make({ untracked });
    const before = await seedForCommit(made.at(made.base));
    await mkdir(join(made.root, 'node_modules/more'));
    const after = await seedForCommit(made.at(made.base));
    expect(after.key).not.toBe(before.key);
  });

  it('is not created when there is nothing to copy', async () => {
    const made = await make({ untracked: { 'node_modules_too/x': '1' } });
    expect((await seedForCommit(made.at(made.base))).entries).toEqual([]);
    expect((await readdir(made.home)).includes('seeds')).toBe(false);
  });

  it('replaces what a candidate committed at its path, also a link', async () => {
    const made = await make({ untracked });
    const seed = await seedForCommit(made.at(made.base));
    const target = join(made.folder, 'target');
    const outside = join(made.folder, 'outside');
    await mkdir(target);
    await mkdir(outside);
    await symlink(outside, join(target, 'node_modules'));
    await applySeed(seed, target, { replace: true, signal: made.signal });
    expect(await readdir(outside)).toEqual([]);
    expect(await readFile(join(target, 'node_modules/dep/index.js'), 'utf8')).toBe('installed');
    const nested = { ...seed, entries: ['packages/node_modules'] };
    await symlink(outside, join(target, 'packages'));
    await expect(applySeed(nested, target, { replace: true, signal: made.signal })).rejects.toMatchObject({
      code: 'REFUSED',
    });
  });
});

describe('a checkout for gates', () => {
  it('is clean, has the overlay of the base, and is removed afterwards', async () => {
    const made = await make({});
    const commit = await made.candidate((workspace) => writeFile(join(workspace, 'a.txt'), 'changed'));
    const plain = await gateCheckout(made.at(commit));
    expect(await readFile(join(plain.path, 'a.txt'), 'utf8')).toBe('changed');
    await plain[Symbol.asyncDispose]();
    await plain[Symbol.asyncDispose]();
    await expect(stat(plain.path)).rejects.toThrow('ENOENT');
    await using overlaid = await gateCheckout({ ...made.at(commit), overlay: { commit: made.base, paths: ['a.txt'] } });
    expect(await readFile(join(overlaid.path, 'a.txt'), 'utf8')).toBe('a');
  });

  it('is removed by the next engine after a crash, with the running set-up', async () => {
    const made = await make({ workspace: { setup: ['echo $$ >"$FIFO"; exec sleep 1000'] } });
    const fifo = join(made.folder, 'fifo');
    await shell(made.folder, 'mkfifo fifo');
    const pid = await crashDuringSetup(made, fifo);
    expect(identify(pid)).toBeDefined();
    await clearLeftovers(made.home);
    expect(identify(pid)).toBeUndefined();
    expect(await readdir(join(made.home, 'checkouts'))).toEqual([]);
    expect(await readdir(join(made.home, 'seeds/project'))).toEqual([]);
  });
});

async function crashDuringSetup(made: CheckedProject, fifo: string): Promise<number> {
  const module = new URL('../../src/workspaces/checkout.ts', import.meta.url).href;
  const { signal: _, ...options } = made.at(made.base);
  const program = `
    import { gateCheckout } from ${JSON.stringify(module)};
    const options = ${JSON.stringify({ ...options, env: { ...options.env, FIFO: fifo } })};
    await gateCheckout({ ...options, signal: new AbortController().signal });`;
  const engine = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' });
  const ended = new Promise((resolve) => engine.once('exit', resolve));
  const pid = Number(await readFile(fifo, 'utf8'));
  engine.kill('SIGKILL');
  await ended;
  return pid;
}
