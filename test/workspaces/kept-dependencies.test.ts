import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { GateCheckout } from '../../src/gates/gate.ts';
import { removingFolder } from '../../src/process/remove-later.ts';
import { clearLeftovers, gateCheckout, seedForCommit } from '../../src/workspaces/checkout.ts';
import { KeptDependencies } from '../../src/workspaces/kept-dependencies.ts';
import { realWorld } from '../../src/world.ts';
import { CheckedProject, shell } from '../gates/project.ts';

const INSTALL = 'mkdir -p node_modules/dep && echo good >node_modules/dep/index.js && echo tool >tool.bin';
const FILES = {
  'a.txt': 'a\n',
  'src/b.txt': 'b\n',
  '.gitignore': 'node_modules/\ntool.bin\nignored/\n',
  'package-lock.json': 'version 1',
};

let project: CheckedProject | undefined;
let kept = new KeptDependencies('', 2);
afterEach(async () => {
  await kept[Symbol.asyncDispose]();
  await project?.[Symbol.asyncDispose]();
  project = undefined;
});

async function make(workspace: object = { setup: [INSTALL] }): Promise<CheckedProject> {
  project = await CheckedProject.make({ files: FILES, workspace });
  kept = new KeptDependencies(removingFolder(project.home), 2);
  return project;
}

const open = (made: CheckedProject) => gateCheckout({ ...made.at(made.base), kept });
/** Which file it is: a number alone may be used again for another file. */
function identityOf(checkout: GateCheckout, path = 'node_modules/dep/index.js'): string {
  const { ino, birthtimeNs } = statSync(join(checkout.path, path), { bigint: true });
  return `${ino} ${birthtimeNs}`;
}

/** Every path in a checkout with its mode and content, except what git itself writes. */
async function contentOf({ path }: GateCheckout): Promise<string> {
  const list = `find . -path ./.git -prune -o -printf '%p %m %y %l\\n' | sort; find . -path ./.git -prune -o -type f -print0 | sort -z | xargs -0 cat; cat .git/config; ls .git .git/info .git/hooks 2>/dev/null; true`;
  return shell(path, list);
}

/** What one check leaves behind, and whether the dependencies can still be reused. */
const ATTACKS: [name: string, script: string, isReused: boolean][] = [
  ['nothing', 'true', true],
  ['ignored, untracked and changed files', 'mkdir ignored && echo x >ignored/x; echo y >y; echo z >a.txt', true],
  ['changed modes of files and folders', 'chmod 0777 src src/b.txt && chmod 0500 .', true],
  ['a folder that cannot be entered', 'mkdir -p deep/er && chmod 0 deep', true],
  [
    'deleted files, and links to other files',
    'rm a.txt && ln -s /etc/passwd a.txt && rm -r src && ln -s /tmp src',
    true,
  ],
  ['a nested repository', 'git init -q nested && touch nested/x', true],
  [
    'a changed repository',
    'git config core.hooksPath hooks && mkdir -p .git/hooks && touch .git/hooks/post-checkout && echo "*" >.git/info/exclude && git update-index --assume-unchanged a.txt && echo z >a.txt',
    true,
  ],
  ['a changed dependency', 'echo evil >node_modules/dep/index.js', false],
  [
    'a changed dependency with its size and times restored',
    'cp -p node_modules/dep/index.js t && echo evil >node_modules/dep/index.js && touch -r t node_modules/dep/index.js',
    false,
  ],
  ['a changed mode of a dependency', 'chmod 0600 node_modules/dep/index.js', false],
  ['an added dependency', 'touch node_modules/evil', false],
  [
    'another folder instead of the dependencies',
    'cp -a node_modules n && rm -r node_modules && mv n node_modules',
    false,
  ],
  ['a link instead of the dependencies', 'mv node_modules n && ln -s n node_modules', false],
  ['a hard link to a dependency', 'ln node_modules/dep/index.js later', false],
];

describe('the checkout of the next check', () => {
  it('is as good as new, whatever the check before left behind', async () => {
    const made = await make();
    let last = await open(made);
    const fresh = await contentOf(last);
    for (const [name, script, isReused] of ATTACKS) {
      const [path, dependency, tool] = [last.path, identityOf(last), identityOf(last, 'tool.bin')];
      await shell(path, script);
      await last[Symbol.asyncDispose]();
      last = await open(made);
      expect(await contentOf(last), name).toBe(fresh);
      expect(identityOf(last) === dependency, name).toBe(isReused);
      expect(identityOf(last, 'tool.bin'), name).toBe(tool);
      expect(last.path).not.toBe(path);
    }
    await last[Symbol.asyncDispose]();
  });

  it('gets a copy while a process of an earlier check still uses the dependencies', async () => {
    const made = await make();
    const first = await open(made);
    const dependency = identityOf(first);
    const left = spawn('sh', ['-c', 'echo ready; exec sleep 1000'], {
      cwd: join(first.path, 'node_modules/dep'),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      await once(left.stdout, 'data');
      await first[Symbol.asyncDispose]();
      await using second = await open(made);
      expect(identityOf(second)).not.toBe(dependency);
    } finally {
      left.kill('SIGKILL');
    }
  });

  it('shares its dependencies with no other check', async () => {
    const made = await make();
    await (await open(made))[Symbol.asyncDispose]();
    await using one = await open(made);
    await using two = await open(made);
    expect(identityOf(one)).not.toBe(identityOf(two));
  });

  it('gets other dependencies for another lockfile', async () => {
    const made = await make({ setup: ['mkdir node_modules && cp package-lock.json node_modules/v'] });
    await (await open(made))[Symbol.asyncDispose]();
    const commit = await made.candidate((workspace) => writeFile(join(workspace, 'package-lock.json'), 'version 2'));
    await using other = await gateCheckout({ ...made.at(commit), kept });
    expect(await readFile(join(other.path, 'node_modules/v'), 'utf8')).toBe('version 2');
  });
});

describe('an attempt that gets copies of the dependencies', () => {
  const see = ({ path }: { path: string }) =>
    shell(path, 'find node_modules tool.bin | sort; cat node_modules/*/* tool.bin');

  it('gets those of the one before it if they are unchanged, and a check gets them too', async () => {
    const made = await make();
    const one = await made.workspace(kept);
    const before = statSync(join(one.path, 'node_modules/dep/index.js')).ino;
    await shell(one.path, 'echo work >a.txt');
    await kept.keep(one.path, realWorld);
    expect(await readdir(one.path)).not.toContain('node_modules');
    const two = await made.workspace(kept);
    expect(statSync(join(two.path, 'node_modules/dep/index.js')).ino).toBe(before);
    expect(two.excluded).toEqual(one.excluded);
    await kept.keep(two.path, realWorld);
    await using checkout = await open(made);
    expect(statSync(join(checkout.path, 'node_modules/dep/index.js')).ino).toBe(before);
  });

  it('shows what it changed in them to no other attempt, no check and not to the user', async () => {
    const made = await make();
    const first = await made.workspace(kept);
    const original = await see(first);
    for (const change of [
      'echo patched >>node_modules/dep/index.js',
      'rm -r node_modules/dep && mkdir node_modules/dep && echo other >node_modules/dep/index.js',
      'mkdir node_modules/more && echo more >node_modules/more/index.js',
      'ln node_modules/dep/index.js linked && echo linked >>linked',
      'touch -r tool.bin time && echo tlol >tool.bin && touch -r time tool.bin',
      'rm -r node_modules && ln -s /etc node_modules',
      'rm -r node_modules tool.bin',
    ]) {
      const one = await made.workspace(kept);
      expect([change, await see(one)]).toEqual([change, original]);
      await shell(one.path, change);
      await kept.keep(one.path, realWorld);
      const two = await made.workspace(kept);
      expect([change, await see(two)]).toEqual([change, original]);
      await kept.keep(two.path, realWorld);
      await using checkout = await open(made);
      expect([change, await see(checkout)]).toEqual([change, original]);
    }
    expect(await readdir(made.root)).not.toContain('node_modules');
    expect(await see({ path: (await seedForCommit(made.at(made.base))).files })).toBe(original);
  });
});

describe('kept dependencies', () => {
  it('are removed with their run, and after a kill by the next engine', async () => {
    const made = await make();
    const folder = join(made.home, 'checkouts', 'project');
    await (await open(made))[Symbol.asyncDispose]();
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^kept-/)]);
    await kept[Symbol.asyncDispose]();
    expect(readdirSync(folder)).toEqual([]);

    kept = new KeptDependencies(removingFolder(made.home), 2);
    await (await open(made))[Symbol.asyncDispose]();
    await clearLeftovers(made.home);
    await using next = await open(made);
    expect(await readFile(join(next.path, 'node_modules/dep/index.js'), 'utf8')).toBe('good\n');
    expect(await readdir(folder)).toHaveLength(1);
  });
});
