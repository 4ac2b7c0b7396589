import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { diffUnsaved } from '../../src/git/save/diff-unsaved.ts';
import { saveWorkspace } from '../../src/git/save/save.ts';
import { createWorkspace, removeWorkspace } from '../../src/git/workspace/workspace.ts';
import { removingFolder } from '../../src/process/remove-later.ts';
import { run } from '../../src/process/run.ts';
import { bubblewrapCommand } from '../../src/process/sandbox/bubblewrap.ts';
import { overlayFolders } from '../../src/process/sandbox/bubblewrap-trial.ts';
import { layeringProblem } from '../../src/process/sandbox/layering.ts';
import { type Overlays, withLayered } from '../../src/process/sandbox/overlays.ts';
import type { Contain } from '../../src/process/sandbox/sandbox.ts';
import { clearLeftovers, gateCheckout, seedForCommit } from '../../src/workspaces/checkout.ts';
import { provision } from '../../src/workspaces/provision.ts';
import { areLayersThere, dependenciesIn } from '../../src/workspaces/shown-layers.ts';
import { CheckedProject, shell } from '../gates/project.ts';
import { SANDBOX } from '../support/sandbox.ts';

const FILES = {
  'a.txt': 'a\n',
  'packages/one/src.js': 'one\n',
  '.gitignore': 'node_modules/\nignored/\n',
};
const INSTALLED = {
  'node_modules/dep/index.js': 'installed\n',
  'node_modules/dep/package.json': '{"version":"1.0.0"}\n',
  'node_modules/other/index.js': 'other\n',
  'packages/one/node_modules/inner/index.js': 'inner\n',
};

const folder = mkdtempSync(join(tmpdir(), 'layered-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const overlays: Overlays = SANDBOX.missing
  ? { by: 'none', folders: [], staging: '' }
  : await overlayFolders(SANDBOX.program, [], join(folder, 'overlays'));
const places = { path: join(folder, 'workspaces'), lower: join(folder, 'seeds') };
const problem = await layeringProblem(SANDBOX.program, overlays, places);
const title = problem === undefined ? SANDBOX.title : `in a sandbox (skipped: ${problem})`;

let project: CheckedProject | undefined;
afterEach(async () => {
  await project?.[Symbol.asyncDispose]();
  project = undefined;
});

/** As the engine contains the programs of a workspace or checkout. */
const contain: Contain = (program) => {
  const below = dependenciesIn(program.cwd);
  const overlaid = below === undefined ? overlays : withLayered(overlays, below, false);
  const read = [join(project?.mirror.dir ?? '', 'objects')];
  const write = [program.cwd, join(project?.folder ?? '', 'pipes')];
  return bubblewrapCommand(SANDBOX.program, program, { read, write, hidden: [], overlaid });
};

async function make(workspace: object = {}): Promise<CheckedProject> {
  project = await CheckedProject.make({ files: FILES, untracked: INSTALLED, workspace });
  return project;
}

async function layered(
  made: CheckedProject,
  name: string,
  commit = made.base,
): Promise<{ path: string; excluded: string[] }> {
  const path = join(made.home, 'workspaces', name);
  await createWorkspace({ mirror: made.mirror, path, commit, branch: name });
  const seed = await seedForCommit({ ...made.at(made.base), contain });
  const how = { ...made.at(made.base), contain, canLayer: true, workspace: path, seed };
  return { path, ...(await provision(how)) };
}

/** What a program in the sandbox of a folder prints. */
async function inside(cwd: string, script: string): Promise<string> {
  const env = { PATH: '/usr/bin:/bin', HOME: '/home/nobody', GIT_CONFIG_GLOBAL: '/dev/null', LC_ALL: 'C' };
  const command = contain({ command: ['/bin/sh', '-c', script], cwd, env });
  const { code, stdout, stderr } = await run(command, { env, timeoutMs: 30_000 });
  return `${stdout.toString()}${code === 0 ? '' : `${stderr}exit code ${code}\n`}`;
}

const save = (made: CheckedProject, { path, excluded }: { path: string; excluded: string[] }, name: string) =>
  saveWorkspace({
    mirror: made.mirror,
    path,
    ref: `refs/manyhands/attempts/${name}/1`,
    base: made.base,
    message: 'work',
    exclude: excluded,
  });
const readAll = 'cat node_modules/dep/index.js packages/one/node_modules/inner/index.js';

describe.skipIf(problem !== undefined)(`dependencies below a workspace ${title}`, () => {
  it('are seen by its programs, and take no space in it', async () => {
    const made = await make();
    const one = await layered(made, 'one');
    expect(await inside(one.path, `${readAll}; git status --porcelain`)).toBe('installed\ninner\n');
    expect(readdirSync(one.path).sort()).toEqual(['.git', '.gitignore', 'a.txt', 'packages']);
    expect(one.excluded.toSorted()).toEqual(['node_modules', 'packages/one/node_modules']);
  });

  /** What an agent does to its dependencies, how it looks at them afterwards, and what it then sees. */
  const CHANGES: [name: string, script: string, look: string, seen: string][] = [
    ['a patched file', 'echo patched >node_modules/dep/index.js', 'cat node_modules/dep/index.js', 'patched\n'],
    ['a removed package', 'rm -r node_modules/dep', 'ls node_modules', 'other\n'],
    [
      'all removed and installed again',
      'rm -rf node_modules && mkdir -p node_modules/dep && echo 2 >node_modules/dep/index.js',
      'ls node_modules && ls node_modules/dep',
      'dep\nindex.js\n',
    ],
    [
      'a package that is moved aside, as installers do',
      'mv node_modules/dep node_modules/.dep-old',
      'ls -A node_modules && cat node_modules/.dep-old/index.js',
      '.dep-old\nother\ninstalled\n',
    ],
    ['another mode', 'chmod 700 node_modules/dep/index.js', 'stat -c %a node_modules/dep/index.js', '700\n'],
    [
      'a link instead of a package',
      'rm -r node_modules/dep && ln -s ../packages/one node_modules/dep',
      'cat node_modules/dep/src.js',
      'one\n',
    ],
    ['a hard link', 'ln node_modules/dep/index.js linked && echo x >>linked', 'cat linked', 'installed\nx\n'],
    ['a file instead of a folder', 'rm -r node_modules && echo x >node_modules', 'cat node_modules', 'x\n'],
    ['a removed folder of the sources', 'rm -r packages', 'ls', 'a.txt\nnode_modules\n'],
    [
      'a moved folder of the sources',
      'mv packages/one packages/two',
      'cat packages/two/node_modules/inner/index.js; ls packages',
      'inner\ntwo\n',
    ],
    [
      'a package that is moved for git, as the how-to on monorepos says',
      'mkdir -p services && mv packages/one services/one && git add -A packages services',
      'git diff --cached --name-status -M && cat services/one/node_modules/inner/index.js',
      'R100\tpackages/one/src.js\tservices/one/src.js\ninner\n',
    ],
    ['removed by git', 'git clean -qxfd', 'ls -A', '.git\n.gitignore\na.txt\npackages\n'],
  ];

  it('keep every change to its own workspace, and no check sees it', async () => {
    const made = await make();
    const unchanged = async () => {
      const other = await layered(made, 'other');
      expect(await inside(other.path, readAll)).toBe('installed\ninner\n');
      await removeWorkspace({ mirror: made.mirror, path: other.path, removing: removingFolder(made.home) });
      await using checkout = await gateCheckout({ ...made.at(made.base), contain, canLayer: true });
      expect(await inside(checkout.path, readAll)).toBe('installed\ninner\n');
      expect(await shell(made.root, readAll)).toBe('installed\ninner\n');
      expect(await shell((await seedForCommit(made.at(made.base))).files, readAll)).toBe('installed\ninner\n');
    };
    for (const [index, [name, script, look, seen]] of CHANGES.entries()) {
      const one = await layered(made, `change-${index}`);
      expect(await inside(one.path, `${script} && ${look}`), name).toBe(seen);
      // The next attempt in the workspace sees what this one left.
      expect(await inside(one.path, `echo more >>a.txt && ${look}`), name).toBe(seen);
      const saved = await save(made, one, `change-${index}`);
      expect([name, saved.changed, saved.problems]).toEqual([name, true, []]);
      const files = await shell(made.mirror.dir, `git ls-tree -r --name-only ${saved.commit}`);
      expect(files, name).not.toMatch(/^node_modules|packages\/one\/node_modules/m);
    }
    await unchanged();
  });

  it('do not hide work: sources and ignored folders are in the workspace itself, and only sources are saved', async () => {
    const made = await make();
    const one = await layered(made, 'one');
    await inside(
      one.path,
      'echo b >a.txt; mkdir ignored && echo kept >ignored/x; git rm -q --cached a.txt; git add -A; git -c user.name=a -c user.email=a@x commit -qm work; echo c >c.txt',
    );
    expect(await readFile(join(one.path, 'ignored/x'), 'utf8')).toBe('kept\n');
    const diff = await diffUnsaved({
      mirror: made.mirror,
      path: one.path,
      base: made.base,
      exclude: one.excluded,
      signal: made.signal,
    });
    expect([...diff.matchAll(/^diff --git a\/(\S+)/gm)].map(([, file]) => file)).toEqual(['a.txt', 'c.txt']);
    const saved = await save(made, one, 'one');
    expect(
      (await shell(made.mirror.dir, `git diff --name-only ${made.base} ${saved.commit}`)).trim().split('\n'),
    ).toEqual(['a.txt', 'c.txt']);
    await removeWorkspace({ mirror: made.mirror, path: one.path, removing: removingFolder(made.home) });
    expect(readdirSync(join(made.home, 'workspaces')).filter((name) => name !== 'one.work')).toEqual([]);
  });

  it('are copied where a commit has files at their path, and replace those in a check', async () => {
    const made = await make();
    const commit = 'git -c user.name=u -c user.email=u@x commit -qm';
    await shell(made.root, `echo committed >node_modules/evil.js && git add -f node_modules/evil.js && ${commit} evil`);
    await shell(made.root, `git rm -q node_modules/evil.js && ${commit} removed`);
    const moved = await CheckedProject.open(made.folder, made.config);
    const evil = (await shell(made.root, 'git rev-parse HEAD~1')).trim();
    const one = await layered(moved, 'one', evil);
    expect(await inside(one.path, 'ls node_modules; ls packages/one/node_modules')).toBe('evil.js\ninner\n');
    expect(dependenciesIn(one.path)).toBeUndefined();
    await using checkout = await gateCheckout({ ...moved.at(evil), contain, canLayer: true });
    expect(dependenciesIn(checkout.path)).toBeDefined();
    expect(await inside(checkout.path, `ls node_modules; ${readAll}`)).toBe('dep\nother\ninstalled\ninner\n');
  });

  it('that were changed since are not shown to the next attempt in a kept workspace', async () => {
    const made = await make();
    const one = await layered(made, 'one');
    const isUsable = () => areLayersThere(one.path, async () => true);
    expect(await isUsable()).toBe(true);
    const seed = await seedForCommit(made.at(made.base));
    await writeFile(join(seed.files, 'node_modules/other/index.js'), 'changed outside\n');
    expect(await isUsable()).toBe(false);
  });

  it('stay for programs that see them when the seed is changed and prepared again', async () => {
    const made = await make();
    const one = await layered(made, 'one');
    const seed = await seedForCommit(made.at(made.base));
    const pipes = join(made.folder, 'pipes');
    await shell(made.folder, 'mkdir pipes && mkfifo pipes/ready pipes/go');
    const program = inside(
      one.path,
      `cat node_modules/dep/index.js; echo >${pipes}/ready; read x <${pipes}/go; ${readAll}`,
    );
    await shell(pipes, 'read x <ready');
    await writeFile(join(seed.files, 'node_modules/other/index.js'), 'changed outside\n');
    const again = await seedForCommit(made.at(made.base));
    expect(await readFile(join(again.files, 'node_modules/other/index.js'), 'utf8')).toBe('other\n');
    const replaced = () => readdirSync(join(made.home, 'seeds/project')).filter((name) => name.includes('.replaced-'));
    await clearLeftovers(made.home);
    expect(replaced()).toHaveLength(1);
    await shell(pipes, 'echo >go');
    expect(await program).toBe('installed\ninstalled\ninner\n');
    await clearLeftovers(made.home);
    expect(replaced()).toEqual([]);
    expect(await inside(one.path, readAll)).toBe('installed\ninner\n');
  });

  it('come with what a set-up installs beside copied folders, in each package', async () => {
    const setup = [
      'mkdir -p generated packages/one/generated && echo made >generated/x && echo made >packages/one/generated/x',
    ];
    const made = await make({ setup, copyDirs: ['node_modules'] });
    const one = await layered(made, 'one');
    expect(await inside(one.path, `${readAll}; cat generated/x packages/one/generated/x`)).toBe(
      'installed\ninner\nmade\nmade\n',
    );
    expect(readdirSync(join(one.path, 'packages/one'))).toEqual(['src.js']);
  });
});
