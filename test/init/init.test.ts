import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { Questions } from '../../src/cli/terminal/terminal-prompts.ts';
import { loadConfig } from '../../src/config/load.ts';
import { InitDocument } from '../../src/init/init-document.ts';
import { proveChecks } from '../../src/init/prove-checks.ts';
import { realWorld, type World } from '../../src/world.ts';
import { testProgram } from '../cli/cli-run.ts';
import { makeProject, type Project } from './project.ts';

const PACKAGE = JSON.stringify({ scripts: { test: 'vitest run', build: 'tsc' }, dependencies: { next: '15' } });
const read = ({ root }: Project, path = '.manyhands/config.yaml') => readFileSync(join(root, path), 'utf8');
const call = (
  { root, env }: Project,
  args: string[],
  more: { questions?: Questions; confirms?: boolean; cwd?: string } = {},
) => testProgram({ cwd: root, env, ...more }).run('init', ...args);

/** A PATH with these programs and no others. */
function onlyWith(...programs: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'mh-path-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of programs)
    symlinkSync(execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(), join(folder, name));
  return folder;
}

describe('manyhands init', () => {
  it('refuses a bare repository in words of its own', async () => {
    using project = makeProject({});
    const bare = join(project.root, 'bare.git');
    execFileSync('git', ['init', '--quiet', '--bare', bare], { env: project.env });
    const { code, stderr } = await call(project, ['--yes'], { cwd: bare });
    expect([code, stderr]).toEqual([3, expect.stringContaining('it has no work tree; clone it')]);
    expect(stderr).not.toContain('fatal');
  });

  it('writes settings that pass its own check, with the schema beside them', async () => {
    using project = makeProject({ 'package.json': PACKAGE, 'package-lock.json': '{}' });
    const { code, stdout } = await call(project, ['--yes']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/framework +Next\.js/);
    expect(read(project)).toMatch(/^# yaml-language-server: \$schema=\.\/config\.schema\.json\n/);
    const config = await loadConfig({ dir: project.root, env: project.env });
    expect(config.checks).toEqual([{ name: 'test', run: 'npm test', timeoutSeconds: 600 }]);
    expect(config.workspace.setup).toEqual(['npm ci']);
    expect(config.$schema).toBe('./config.schema.json');
    const schema = z
      .object({ properties: z.record(z.string(), z.unknown()) })
      .parse(JSON.parse(read(project, '.manyhands/config.schema.json')));
    expect(Object.keys(schema.properties)).toContain('checks');
    expect(readdirSync(join(project.root, '.manyhands')).sort()).toEqual(['config.schema.json', 'config.yaml']);
    expect((await call(project, ['--yes'])).stdout).not.toContain('missing from it');
  });

  it('runs each proposed check once with --prove, and leaves out of the settings what fails', async () => {
    using project = makeProject({ Makefile: 'test:\n\t@echo all good\nlint:\n\t@echo line 3 is wrong; exit 1\n' });
    const { code, stdout, stderr } = await call(project, ['--yes', '--prove']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^runs make test\nruns make lint\n/);
    expect(stderr).toContain('Next: make lint fails and is a comment in .manyhands/config.yaml');
    expect(stdout).toContain('Ran the checks in your checkout: 1 of 2 passed');
    expect(stdout).toContain('✓ make test  exit 0');
    expect(stdout).toMatch(/✗ make lint {2}exit 2; left out of the settings\n {4}line 3 is wrong\n/);
    const { checks } = await loadConfig({ dir: project.root, env: project.env });
    expect(checks).toMatchObject([{ run: 'make test' }]);
    expect(read(project)).toMatch(
      /# Failed when init --prove ran it.*\n# - \{"name":"lint","run":"make lint"\} {2}# exit 2/,
    );
  });

  it('keeps the checks with --prove where none passes, because nothing would be verified without them', async () => {
    const manifest = JSON.stringify({ scripts: { test: 'exit 2' }, devDependencies: { x: '1' } });
    using project = makeProject({ 'package.json': manifest });
    mkdirSync(join(project.root, 'node_modules'));
    const { stdout, stderr } = await call(project, ['--yes', '--prove']);
    expect(stderr).toContain('Next: npm test fails, and nothing lands while a check fails');
    expect(stdout).toContain('✗ npm test  exit 2\n');
    expect((await loadConfig({ dir: project.root, env: project.env })).checks).toMatchObject([{ run: 'npm test' }]);
  });

  it('keeps the checks with --prove that fail without the dependencies, and advises to install these first', async () => {
    const manifest = JSON.stringify({ scripts: { test: 'true', lint: 'exit 127' }, devDependencies: { x: '1' } });
    using project = makeProject({ 'package.json': manifest });
    const { stdout, stderr } = await call(project, ['--yes', '--prove']);
    expect(stdout).toContain('✗ npm run lint  exit 127\n');
    expect(stderr).toContain('Install them with npm install, then run the checks again with manyhands init --prove\n');
    const { checks } = await loadConfig({ dir: project.root, env: project.env });
    expect(checks).toMatchObject([{ run: 'npm test' }, { run: 'npm run lint' }]);
    const again = InitDocument.parse(JSON.parse((await call(project, ['--yes', '--prove', '--json'])).stdout));
    expect(again.install).toBe('npm install');
  });

  it('proves the checks of existing settings, and not others that were detected', async () => {
    using project = makeProject({ Makefile: 'test:\n\t@exit 1\n', '.manyhands/config.yaml': 'checks: [test -d .]\n' });
    const { stdout } = await call(project, ['--yes', '--prove', '--json']);
    expect(InitDocument.parse(JSON.parse(stdout)).proof).toMatchObject([
      { run: 'test -d .', passed: true, isUsed: true },
    ]);
  });

  it('says which programs are not installed, and fetches a package manager of Node through npx', async () => {
    const uv = '[project]\nname = "a"\n[tool.uv]\n[dependency-groups]\ndev = ["pytest"]\n';
    using python = makeProject({ 'pyproject.toml': uv });
    const node = { packageManager: 'pnpm@9.1.0+sha512.abc', scripts: { test: 'x' }, devDependencies: { x: '1' } };
    const ci = 'jobs: { a: { steps: [{ run: pnpm test }] } }';
    using pnpm = makeProject({
      'package.json': JSON.stringify(node),
      'pnpm-lock.yaml': '',
      '.github/workflows/ci.yml': ci,
    });
    const without = (project: Project) => ({ ...project, env: { ...project.env, PATH: onlyWith('git', 'npx') } });
    const missing = await call(without(python), ['--yes', '--json']);
    const { detected, notes } = InitDocument.parse(JSON.parse(missing.stdout));
    expect(detected?.checks).toMatchObject([{ run: 'uv run pytest', missing: 'uv' }]);
    expect(notes).toContainEqual(
      expect.stringMatching(
        /^uv is not installed here, so this cannot run: uv sync, uv run pytest; install it \(see https/,
      ),
    );
    const fetched = await call(without(pnpm), ['--yes']);
    expect(fetched.stdout).toContain('pnpm is not installed here, so its commands use npx');
    expect(fetched.stdout).not.toContain('which is not a check here');
    const { checks, workspace } = await loadConfig({ dir: pnpm.root, env: pnpm.env });
    expect(checks).toMatchObject([{ run: 'npx --yes pnpm@9.1.0 test' }]);
    expect(workspace.setup).toEqual(['npx --yes pnpm@9.1.0 install --frozen-lockfile']);
  });

  it('reports how long a check has been running, with its last line of output', async () => {
    using project = makeProject({});
    const lines: string[] = [];
    const onProgress = (line: string) => {
      lines.push(line);
      if (line.endsWith(': compiling')) writeFileSync(join(project.root, 'reported'), '');
    };
    const run = 'echo compiling; until [ -e reported ]; do sleep 0.02; done';
    const soon: World = { ...realWorld, alarm: (_, ring) => realWorld.alarm(realWorld.now() + 20, ring) };
    const env = { PATH: process.env.PATH };
    await proveChecks({ root: project.root, checks: [{ name: 'build', run }], env, onProgress }, soon);
    expect(lines[0]).toBe(`runs ${run}`);
    expect(lines.at(-1)).toMatch(/ \(\d+s\): compiling$/);
  });

  it('replaces nothing: an existing file stays byte for byte, and what it lacks is shown', async () => {
    const mine = '# mine\nlimits: { agents: 2 }\nworkspace:\n  setup: []\n';
    using project = makeProject({ 'package.json': PACKAGE, '.manyhands/config.yaml': mine });
    const { code, stdout } = await call(project, ['--yes']);
    expect(code).toBe(0);
    expect(read(project)).toBe(mine);
    expect(stdout).toContain('kept (it is there already)');
    expect(stdout).toContain('run: npm test');
    expect(stdout.split('are missing from it')[1]).not.toContain('npm install');
  });

  it('refuses existing settings with a mistake, at its place', async () => {
    using project = makeProject({ '.manyhands/config.yaml': 'limits:\n  agents: many\n' });
    const { code, stderr } = await call(project, ['--yes']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('config.yaml:2:11: limits.agents')]);
  });

  it('writes nothing on a dry run, and tells the same as one document', async () => {
    using project = makeProject({ 'package.json': PACKAGE });
    const { stdout } = await call(project, ['--dry-run', '--json', '--agents-md']);
    const document = InitDocument.parse(JSON.parse(stdout));
    expect(document.files.map(({ path, action }) => `${action} ${path}`)).toEqual([
      'written .manyhands/config.schema.json',
      'written .manyhands/config.yaml',
      'written AGENTS.md',
      'written CLAUDE.md',
    ]);
    expect(project.git('status', '--porcelain')).toBe('');
  });

  it('asks on a terminal with what was found as the answers, and copies private files only by consent', async () => {
    using project = makeProject({ 'package.json': PACKAGE, '.gitignore': '.env\n' });
    writeFileSync(join(project.root, '.env'), 'SECRET=1');
    const requests: string[] = [];
    const questions: Questions = {
      choose: async (question, options) => {
        requests.push(
          `${question}: ${options.map(({ label, isChosen }) => `${isChosen ? '+' : '-'}${label}`).join(' ')}`,
        );
        return options.map(({ value }) => value);
      },
      text: async (question, answer) => (question.startsWith('Another') ? 'make "all: #x"' : `${answer}a"b: #c`),
    };
    expect((await call(project, [], { questions })).code).toBe(0);
    expect(requests).toEqual([
      'Commands that must pass before anything lands: +npm test -npm run build',
      'Ignored files to copy into workspaces (agents can read them): -.env',
    ]);
    const config = await loadConfig({ dir: project.root, env: project.env });
    expect(config.checks.map((check) => (typeof check === 'string' ? check : check.run))).toEqual([
      'npm test',
      'npm run build',
      'make "all: #x"',
    ]);
    expect(config.workspace.copyFiles).toEqual(['.env']);
    expect(config.git.base).toBe('a"b: #c');
  });

  it('asks before it takes an imported setting that lets agents do more', async () => {
    const files = { '.claude-orchestrator.yaml': 'tools:\n  skip_permissions: true\n' };
    const answering = (answer: string[] | null): Questions => ({
      choose: async () => answer,
      text: async (_, text) => text,
    });
    using refused = makeProject(files);
    using agreed = makeProject(files);
    using broken = makeProject(files);
    await call(refused, ['--import'], { questions: answering([]) });
    await call(agreed, ['--import'], { questions: answering(['0']) });
    const left = await call(broken, ['--import'], { questions: answering(null) });
    expect(read(refused)).not.toContain('skipPermissions');
    expect(read(agreed)).toContain('skipPermissions: true');
    expect([left.code, left.stderr, existsSync(join(broken.root, '.manyhands'))]).toEqual([
      130,
      'Nothing was written.\n',
      false,
    ]);
  });

  it('prints a table of imported, held, ignored and unknown keys', async () => {
    using project = makeProject({
      '.claude-orchestrator.yaml':
        'agent:\n  max_runtime: 60\n  use_resume: true\nstrange: "\\e[31mred"\ntools: { skip_permissions: true }\n',
    });
    const { stdout } = await call(project, ['--import', '--yes']);
    expect(stdout).toMatch(/agent\.max_runtime +imported +limits\.runtimeSeconds/);
    expect(stdout).toMatch(/agent\.use_resume +ignored +a session is always resumed/);
    expect(stdout).toMatch(/strange +unknown key/);
    expect(stdout).toMatch(/tools\.skip_permissions +needs consent +tools\.skipPermissions +agents do everything/);
    expect(read(project)).not.toContain('skipPermissions');
  });

  it('says what to do where there is no repository, and makes one when a person says yes', async () => {
    using project = makeProject({});
    const cwd = join(project.root, '..', 'bare-folder');
    mkdirSync(cwd);
    const refused = await call(project, ['--yes'], { cwd });
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('create one with git init')]);
    expect(readdirSync(cwd)).toEqual([]);
    const made = await call(project, [], { cwd, confirms: true });
    expect(made.code).toBe(0);
    expect(readdirSync(cwd).sort()).toEqual(['.git', '.manyhands']);
    expect(made.stdout).toContain('the repository has no commit');
  });

  it('sets up the whole repository from a folder inside it, and a submodule for itself', async () => {
    using project = makeProject({ 'package.json': PACKAGE, 'packages/a/package.json': '{}' });
    const { stdout } = await call(project, ['--yes'], { cwd: join(project.root, 'packages', 'a') });
    expect(stdout).toContain('settings apply to the whole repository');
    expect(existsSync(join(project.root, '.manyhands/config.yaml'))).toBe(true);
    using outer = makeProject({});
    outer.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', project.root, 'inner');
    await call(outer, ['--yes'], { cwd: join(outer.root, 'inner') });
    expect(existsSync(join(outer.root, 'inner/.manyhands/config.yaml'))).toBe(true);
    expect(existsSync(join(outer.root, '.manyhands'))).toBe(false);
  });

  it.each<[string, (root: string) => void]>([
    ['the folder', (root) => symlinkSync('/tmp', join(root, '.manyhands'))],
    [
      'the file',
      (root) => {
        mkdirSync(join(root, '.manyhands'));
        symlinkSync('/etc/hostname', join(root, '.manyhands/config.yaml'));
      },
    ],
  ])('writes nothing through a link when %s leads out of the project', async (_, prepare) => {
    using project = makeProject({});
    prepare(project.root);
    const { code, stderr } = await call(project, ['--yes']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('leads out of the project')]);
  });

  it('lets no content of the repository into the settings as anything but a value', async () => {
    const evil = 'x\n  - run: "touch /tmp/owned"\n$(touch owned)';
    using project = makeProject({
      'package.json': JSON.stringify({
        name: evil,
        packageManager: evil,
        scripts: { test: evil, [evil]: evil },
        workspaces: [evil, 7],
        dependencies: { [evil]: '1', next: evil },
      }),
      'pnpm-workspace.yaml': 'packages: [&a [*a]]\n',
      'composer.json': '[]',
      'pyproject.toml': '\u0000',
    });
    project.git('checkout', '--quiet', '-b', 'a"b\'c$(id);{x}');
    const { code } = await call(project, ['--yes']);
    expect(code).toBe(0);
    const config = await loadConfig({ dir: project.root, env: project.env });
    expect(config.git.base).toBeUndefined();
    expect(read(project)).toContain(`#   base: ${JSON.stringify('a"b\'c$(id);{x}')}\n`);
    expect(config.checks.map((check) => (typeof check === 'string' ? check : check.run))).toEqual(['npm test']);
    expect(read(project)).not.toContain('touch');
  });

  it('accepts --remove and --force only with --agents-md', async () => {
    using project = makeProject({});
    expect((await call(project, ['--remove'])).code).toBe(2);
    expect((await call(project, ['--force'])).code).toBe(2);
    expect((await call(project, ['--agents-md', '--force', '--dry-run', '--yes'])).code).toBe(0);
  });
});
