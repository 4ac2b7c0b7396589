import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeFiles } from './gate-input.ts';
import { CheckedProject, type Edit, shell } from './project.ts';

const PACKAGE = { name: 'sample', version: '1.0.0', type: 'module', scripts: { test: 'node --test' } };
const RED_TEST =
  "import test from 'node:test';\nimport { strictlyEqual } from 'checker';\nimport { sum } from '../src/sum.js';\ntest('sums', () => strictlyEqual(sum(1, 2), 3));\n";
const CHECKER = "export function strictlyEqual(a, b) { if (a !== b) throw new Error(a + ' is not ' + b); }\n";

let project: CheckedProject;

beforeAll(async () => {
  project = await CheckedProject.make({
    files: {
      'package.json': JSON.stringify(PACKAGE, null, 2),
      '.gitignore': 'node_modules/\n',
      'src/sum.js': 'export const sum = (a, b) => a - b;\n',
      'test/sum.test.js': RED_TEST,
    },
    untracked: {
      'node_modules/checker/package.json': '{"name":"checker","type":"module","exports":"./index.js"}',
      'node_modules/checker/index.js': CHECKER,
    },
  });
});
afterAll(() => project[Symbol.asyncDispose]());

const write =
  (files: Record<string, string>): Edit =>
  (workspace) =>
    writeFiles(workspace, files);
const repaired = { 'src/sum.js': 'export const sum = (a, b) => a + b;\n' };

it('is red before any work', async () => {
  expect((await project.check('npm test', project.base)).verdict).toBe('fail');
});

describe('turning a red check green', () => {
  it('is held when the package script is edited', async () => {
    const script = JSON.stringify({ ...PACKAGE, scripts: { test: 'true' } });
    const outcome = await project.judge(write({ 'package.json': script }));
    expect(outcome).toMatchObject({
      accepted: false,
      check: { verdict: 'pass' },
      guarded: { held: [{ path: 'package.json' }] },
    });
  });

  it('is held when an .npmrc is added that runs scripts with another program', async () => {
    const outcome = await project.judge(write({ '.npmrc': 'script-shell=/bin/true\n' }));
    expect(outcome).toMatchObject({
      accepted: false,
      check: { verdict: 'pass' },
      guarded: { held: [{ path: '.npmrc' }] },
    });
  });

  it('shows when the test is skipped, because it also runs as the base has it', async () => {
    const outcome = await project.judge(
      write({ 'test/sum.test.js': RED_TEST.replace("'sums',", "'sums', { skip: true },") }),
    );
    expect(outcome).toMatchObject({ accepted: false, check: { verdict: 'pass' }, withBaseTests: { verdict: 'fail' } });
  });

  it('shows when the test is deleted', async () => {
    const outcome = await project.judge((workspace) => rm(join(workspace, 'test'), { recursive: true }));
    expect(outcome).toMatchObject({ accepted: false, check: { verdict: 'pass' }, withBaseTests: { verdict: 'fail' } });
  });

  it('shows when the test is renamed to something that is not run', async () => {
    const outcome = await project.judge((workspace) =>
      rename(join(workspace, 'test/sum.test.js'), join(workspace, 'src/sums.js')),
    );
    expect(outcome).toMatchObject({ accepted: false, check: { verdict: 'pass' }, withBaseTests: { verdict: 'fail' } });
  });

  it('has no effect when installed dependencies are patched in the workspace', async () => {
    const outcome = await project.judge(
      write({ 'node_modules/checker/index.js': 'export function strictlyEqual() {}\n', 'src/x.js': '' }),
    );
    expect(outcome).toMatchObject({ accepted: false, check: { verdict: 'fail' } });
  });

  it('has no effect when patched dependencies are committed by force', async () => {
    const outcome = await project.judge(async (workspace) => {
      await writeFiles(workspace, { 'node_modules/checker/index.js': 'export function strictlyEqual() {}\n' });
      await shell(workspace, 'git add -f node_modules && git commit -qm sneaky');
    });
    expect(outcome).toMatchObject({ accepted: false, check: { verdict: 'fail' } });
  });

  it('is held when a folder of dependencies is added next to the source', async () => {
    const outcome = await project.judge(async (workspace) => {
      await writeFiles(workspace, {
        'test/node_modules/checker/package.json': '{"name":"checker","type":"module","exports":"./index.js"}',
        'test/node_modules/checker/index.js': 'export function strictlyEqual() {}\n',
      });
      await shell(workspace, 'git add -f test/node_modules && git commit -qm sneaky');
    });
    expect(outcome.check.verdict).toBe('pass');
    expect(outcome).toMatchObject({ accepted: false, guarded: { held: [{}, {}] } });
  });

  it('is held when the tests are replaced by a link', async () => {
    const outcome = await project.judge(async (workspace) => {
      await rm(join(workspace, 'test'), { recursive: true });
      await mkdir(join(workspace, 'docs'));
      await writeFile(join(workspace, 'docs', 'x.md'), '');
      await symlink('docs', join(workspace, 'test'));
    });
    expect(outcome).toMatchObject({ accepted: false, guarded: { held: [{ path: 'test' }] } });
  });

  it('is held when package.json becomes a link to another one', async () => {
    const outcome = await project.judge(async (workspace) => {
      await rm(join(workspace, 'package.json'));
      await writeFile(join(workspace, 'other.json'), JSON.stringify({ ...PACKAGE, scripts: { test: 'true' } }));
      await symlink('other.json', join(workspace, 'package.json'));
    });
    expect(outcome).toMatchObject({ accepted: false, guarded: { held: [{ path: 'package.json' }] } });
  });

  it('is not believed when nothing was changed', async () => {
    expect(await project.candidate(async () => {})).toBe(project.base);
  });
});

describe('an honest change', () => {
  it('is accepted when the source is repaired', async () => {
    expect(await project.judge(write(repaired))).toMatchObject({ accepted: true, guarded: { held: [], overlay: [] } });
  });

  it('is accepted with an added test, a dependency and a renamed source file', async () => {
    const manifest = JSON.stringify({ ...PACKAGE, version: '1.1.0', dependencies: { zod: '^4.0.0' } }, null, 2);
    const added = RED_TEST.replaceAll('sum', 'add').replace('../src/add.js', '../src/math/add.js');
    const outcome = await project.judge(
      write({
        ...repaired,
        'package.json': manifest,
        'src/math/add.js': 'export const add = (a, b) => a + b;\n',
        'test/add.test.js': added,
      }),
    );
    expect(outcome).toMatchObject({ accepted: true, guarded: { held: [], overlay: [] } });
  });

  it('is accepted with a changed test if the base version passes as well', async () => {
    const more = `${RED_TEST}test('sums more', () => strictlyEqual(sum(2, 2), 4));\n`;
    const outcome = await project.judge(write({ ...repaired, 'test/sum.test.js': more }));
    expect(outcome).toMatchObject({ accepted: true, withBaseTests: { verdict: 'pass' } });
  });
});
