import { describe, expect, it } from 'vitest';
import type { ChangedPath } from '../../src/gates/gate.ts';
import { type Guarded, guard } from '../../src/gates/guards.ts';
import { GateSpec } from '../../src/schema/gate.ts';

type Files = Record<string, string>;
interface Case {
  base?: Files;
  candidate?: Files;
  run?: string | string[];
  special?: string[];
  allow?: string[];
  config?: string[];
}

function judge({
  base = {},
  candidate = {},
  run = 'npm test',
  special = [],
  allow = [],
  config = [],
}: Case): Promise<Guarded> {
  const changed: ChangedPath[] = [];
  for (const path of new Set([...Object.keys(base), ...Object.keys(candidate)])) {
    if (base[path] === candidate[path]) continue;
    const status = base[path] === undefined ? 'added' : candidate[path] === undefined ? 'deleted' : 'modified';
    changed.push({ path, status });
  }
  return guard({
    changed,
    tests: [],
    config,
    allow,
    gates: [GateSpec.parse({ gate: 'command', name: 'check', run })],
    special: new Set(special),
    readBase: async (path) => base[path],
    readCandidate: async (path) => candidate[path],
  });
}

const manifest = (content: object) => JSON.stringify(content, null, 2);
const held = async (options: Case) => (await judge(options)).held.map((item) => item.path);
const free = { overlay: [], held: [] };

describe('honest changes', () => {
  it('lets changed, added, deleted and renamed source pass freely', async () => {
    const base = { 'src/a.ts': '1', 'src/old.ts': '2', 'src/gone.ts': '3' };
    expect(await judge({ base, candidate: { 'src/a.ts': '9', 'src/new.ts': '2', 'README.md': 'x' } })).toEqual(free);
  });

  it.each([
    'test/sum.test.js',
    'src/sum.spec.ts',
    'pkg/sum_test.go',
    'tests/test_sum.py',
    'spec/sum_spec.rb',
    'test/fixtures/data.json',
  ])('lets the added test %s pass freely', async (path) => {
    expect(await judge({ candidate: { [path]: 'assert(1)' } })).toEqual(free);
  });

  it('lets an added or bumped dependency of the registry pass with its lockfile', async () => {
    const lock = (version: string) =>
      manifest({
        packages: { 'node_modules/zod': { version, resolved: `https://registry.npmjs.org/zod/-/zod-${version}.tgz` } },
      });
    const base = {
      'package.json': manifest({ version: '1.0.0', dependencies: { zod: '^3.0.0' } }),
      'package-lock.json': lock('3.0.0'),
    };
    const candidate = {
      'package.json': manifest({
        version: '1.1.0',
        description: 'x',
        dependencies: { zod: '^4.0.0', yaml: '2.x || >=3 <4' },
      }),
      'package-lock.json': lock('4.0.0'),
    };
    expect(await judge({ base, candidate })).toEqual(free);
  });

  it('lets a new script pass that no check comes to', async () => {
    const base = { 'package.json': manifest({ scripts: { test: 'node --test' } }) };
    const candidate = { 'package.json': manifest({ scripts: { test: 'node --test', docs: 'typedoc' } }) };
    expect(await judge({ base, candidate })).toEqual(free);
  });

  it('lets a changed script pass that no check comes to', async () => {
    const base = { 'package.json': manifest({ scripts: { test: 'node --test', docs: 'typedoc' } }) };
    const candidate = { 'package.json': manifest({ scripts: { test: 'node --test', docs: 'typedoc --all' } }) };
    expect(await judge({ base, candidate })).toEqual(free);
  });

  it('lets dependencies of other languages pass', async () => {
    const base = {
      'pyproject.toml':
        '[project]\nname = "x"\nversion = "1"\ndependencies = [\n  "requests>=2",\n]\n\n[tool.pytest.ini_options]\naddopts = "-q"\n',
      'Cargo.toml': '[package]\nname = "x"\n\n[dependencies]\nserde = "1"\n',
      'go.mod': 'module example.com/x\n\ngo 1.22\n\nrequire (\n\tgolang.org/x/net v0.1.0\n)\n',
      'requirements.txt': 'requests>=2\n',
      Gemfile: "source 'https://rubygems.org'\ngem 'rake'\n",
    };
    const candidate = {
      'pyproject.toml': base['pyproject.toml']
        .replace('  "requests>=2",\n', '  "requests>=2",\n  "flask[async]==3.0", # for the server\n')
        .replace('"1"', '"2"'),
      'Cargo.toml': `${base['Cargo.toml']}anyhow = { version = "1", features = ["std"] }\n`,
      'go.mod': base['go.mod'].replace('v0.1.0', 'v0.2.0\n\tgithub.com/pkg/errors v0.9.1 // indirect'),
      'requirements.txt': 'requests>=2\nflask[async]==3.0\n',
      Gemfile: `${base.Gemfile}gem 'rspec', '~> 3.0'\n`,
    };
    expect(await judge({ base, candidate, run: 'pytest' })).toEqual(free);
  });

  it('lets a Makefile pass when no check calls make', async () => {
    expect(await judge({ base: { Makefile: 'a' }, candidate: { Makefile: 'b' } })).toEqual(free);
  });

  it('lets tsconfig pass, also when a check names it', async () => {
    const change = { base: { 'tsconfig.json': 'a' }, candidate: { 'tsconfig.json': 'b' } };
    expect(await judge({ ...change, run: 'npx tsc -p tsconfig.json' })).toEqual(free);
  });

  it('lets source pass in a folder that a check names', async () => {
    expect(await judge({ base: { 'src/a.ts': '1' }, candidate: { 'src/a.ts': '2' }, run: 'npx eslint src' })).toEqual(
      free,
    );
  });
});

describe('tests that are changed', () => {
  it('asks for the base version of a test that was changed or deleted', async () => {
    const base = { 'test/a.test.js': '1', 'test/b.test.js': '2' };
    const found = await judge({ base, candidate: { 'test/a.test.js': 'skip' } });
    expect(found).toEqual({ overlay: ['test/a.test.js', 'test/b.test.js'], held: [] });
  });

  it('takes a renamed test for a deleted one, and runs the base tests without the new one', async () => {
    const found = await judge({ base: { 'test/a.test.js': '1' }, candidate: { 'test/b.test.js': '1' } });
    expect(found.overlay.sort()).toEqual(['test/a.test.js', 'test/b.test.js']);
  });

  it('takes helpers, fixtures and snapshots for tests', async () => {
    const paths = ['test/support/login.js', 'tests/fixtures/a.json', 'src/__snapshots__/a.snap', 'pkg/testdata/in.txt'];
    const base = Object.fromEntries(paths.map((path) => [path, '1']));
    const candidate = Object.fromEntries(paths.map((path) => [path, '2']));
    expect((await judge({ base, candidate })).overlay.sort()).toEqual(paths.sort());
  });

  it.each([
    ['test/zz.test.js', 'describe.only("x", () => {})'],
    ['test/zz.test.js', 'process.exit(0)'],
    ['pkg/main_test.go', 'func TestMain(m *testing.M) { os.Exit(0) }'],
    ['tests/test_zz.py', 'import os; os._exit(0)'],
  ])('asks for a run without the added test %s that can silence others: %s', async (path, text) => {
    expect(await judge({ candidate: { [path]: text } })).toEqual({ overlay: [path], held: [] });
  });

  it('runs a test file that the check names in the base version instead of holding it', async () => {
    const change = { base: { 'test/a.test.js': '1' }, candidate: { 'test/a.test.js': '2' } };
    expect(await judge({ ...change, run: 'node --test test/a.test.js' })).toEqual({
      overlay: ['test/a.test.js'],
      held: [],
    });
  });
});

describe('what decides how checks run', () => {
  it.each([
    ...['.npmrc', '.NPMRC', 'packages/a/.npmrc', '.yarnrc.yml', '.pnpmfile.cjs', 'bunfig.toml', 'pnpm-workspace.yaml'],
    ...[
      'vitest.config.ts',
      'vite.config.js',
      'jest.config.js',
      'web/playwright.config.ts',
      'cypress.config.ts',
      '.mocharc.yml',
    ],
    ...['babel.config.js', '.babelrc', 'pytest.ini', 'tests/conftest.py', 'tox.ini', 'noxfile.py', 'phpunit.xml.dist'],
    ...[
      '.rspec',
      'Rakefile',
      'spec/spec_helper.rb',
      'build.rs',
      '.cargo/config.toml',
      '__mocks__/db.js',
      'sitecustomize.py',
    ],
    ...[
      '.github/workflows/ci.yml',
      '.gitlab-ci.yml',
      'Jenkinsfile',
      '.circleci/config.yml',
      'azure-pipelines.yml',
      '.husky/pre-commit',
    ],
    ...[
      '.manyhands/config.yaml',
      'CLAUDE.md',
      'src/AGENTS.md',
      'GEMINI.md',
      '.claude/settings.json',
      '.mcp.json',
      '.codex/config.toml',
    ],
    ...[
      '.gitattributes',
      'src/.gitattributes',
      '.gitmodules',
      'node_modules/.bin/vitest',
      'src/node_modules/zod/index.js',
      '.worktreeinclude',
    ],
  ])('holds %s, new or changed', async (path) => {
    expect(await held({ candidate: { [path]: 'x' } })).toEqual([path]);
    expect(await held({ base: { [path]: 'x' }, candidate: { [path]: 'y' } })).toEqual([path]);
  });

  it('is not deceived by invisible characters in a name', async () => {
    expect(await held({ candidate: { '.np\u200dmrc': 'script-shell=/bin/true' } })).toHaveLength(1);
  });

  it.each<[string, string, object, object]>([
    ['the script of the check', 'npm test', { scripts: { test: 'node --test' } }, { scripts: { test: 'true' } }],
    ['a script before it', 'npm test', { scripts: { test: 'a' } }, { scripts: { test: 'a', pretest: 'rm -r test' } }],
    [
      'a script that it calls',
      'npm test',
      { scripts: { test: 'npm run unit', unit: 'a' } },
      { scripts: { test: 'npm run unit', unit: 'true' } },
    ],
    [
      'a script called by pattern',
      'npx run-s "check:*"',
      { scripts: { 'check:a': 'a' } },
      { scripts: { 'check:a': 'true' } },
    ],
    ['a script through a shell script', 'sh check.sh', { scripts: { unit: 'a' } }, { scripts: { unit: 'true' } }],
    ['a script of the installation', 'npm test', {}, { scripts: { postinstall: 'sh patch.sh' } }],
    ['a check that did not exist', 'npm test', { scripts: {} }, { scripts: { test: 'true' } }],
    ['the removal of a script', 'npm run lint --if-present', { scripts: { lint: 'eslint .' } }, { scripts: {} }],
    ['a runner setting', 'npm test', { jest: {} }, { jest: { testPathIgnorePatterns: ['.'] } }],
    ['imports', 'npm test', {}, { imports: { '#db': './stub.js' } }],
    ['the module type', 'npm test', { type: 'module' }, { type: 'commonjs' }],
    ['an override', 'npm test', {}, { overrides: { vitest: '0.0.1' } }],
    ['a dependency from a folder', 'npm test', {}, { devDependencies: { vitest: 'file:./fake' } }],
    ['a dependency from git', 'npm test', { dependencies: { a: '1' } }, { dependencies: { a: 'github:evil/a' } }],
    ['a short git address', 'npm test', {}, { dependencies: { a: 'evil/a' } }],
    ['an alias', 'npm test', {}, { devDependencies: { vitest: 'npm:evil@1' } }],
    ['a dependency from the web', 'npm test', {}, { dependencies: { a: 'https://evil.example/a.tgz' } }],
  ])('holds package.json for %s', async (_what, run, base, candidate) => {
    expect(
      await held({ run, base: { 'package.json': manifest(base) }, candidate: { 'package.json': manifest(candidate) } }),
    ).toEqual(['package.json']);
  });

  it('holds a package.json that is not JSON, is gone, or is a link whose target looks like the old text', async () => {
    const base = { 'package.json': '{"scripts":{"test":"a"}}' };
    expect(await held({ base, candidate: { 'package.json': '{' } })).toEqual(['package.json']);
    expect(await held({ base })).toEqual(['package.json']);
    const link = { 'package.json': '{ "scripts":{"test":"a"}}' };
    expect(await judge({ base, candidate: link })).toEqual(free);
    expect(await held({ base, candidate: link, special: ['package.json'] })).toEqual(['package.json']);
  });

  it.each([
    ['a new section', '[tool.pytest.ini_options]\naddopts = "--co"\n'],
    ['a dotted key', 'entry-points.pytest11 = { x = "x" }\n'],
    ['a quoted key', '"entry-points" = {}\n'],
    ['a text of several lines that could swallow a section', 'readme = """\n'],
    ['a dependency from the web', 'dependencies = ["a @ https://evil.example/a.whl"]\n'],
    ['a build system', '[build-system]\nrequires = []\n'],
  ])('holds pyproject.toml for %s', async (_what, added) => {
    const text = '[project]\nname = "x"\n';
    expect(await held({ base: { 'pyproject.toml': text }, candidate: { 'pyproject.toml': text + added } })).toEqual([
      'pyproject.toml',
    ]);
  });

  it.each([
    ['Cargo.toml', '[package]\nname = "x"\n', '[package]\nname = "x"\nautotests = false\n'],
    ['Cargo.toml', '[package]\nname = "x"\n', '[package]\nname = "x"\n[[test]]\nname = "a"\nharness = false\n'],
    ['Cargo.toml', '[dependencies]\na = "1"\n', '[dependencies]\na = { path = "fake" }\n'],
    ['go.mod', 'module x\n', 'module x\nreplace a.com/b => ./fake\n'],
    ['requirements.txt', 'a==1\n', 'a @ git+https://evil.example/a\n'],
    ['requirements.txt', 'a==1\n', '--index-url https://evil.example\na==1\n'],
    ['Gemfile', "gem 'a'\n", "gem 'a', path: 'fake'\n"],
    ['setup.cfg', '[metadata]\nname = x\n', '[metadata]\nname = x\n[tool:pytest]\naddopts = --co\n'],
  ])('holds %s when more than dependencies of a registry change', async (path, before, after) => {
    expect(await held({ base: { [path]: before }, candidate: { [path]: after } })).toEqual([path]);
  });

  it('holds a lockfile that takes a package from a new place or replaces one by a folder', async () => {
    const lock = (entry: object) => manifest({ packages: { 'node_modules/vitest': entry } });
    const base = { 'package-lock.json': lock({ resolved: 'https://registry.npmjs.org/vitest/-/vitest-1.0.0.tgz' }) };
    const elsewhere = lock({ resolved: 'https://evil.example/vitest-1.0.0.tgz' });
    expect(await held({ base, candidate: { 'package-lock.json': elsewhere } })).toEqual(['package-lock.json']);
    const escaped = base['package-lock.json'].replace('https://registry.npmjs.org', '\\u0068ttps:\\/\\/evil.example');
    expect(await held({ base, candidate: { 'package-lock.json': escaped } })).toEqual(['package-lock.json']);
    const disguised = lock({ resolved: 'https://registry.npmjs.org@evil.example/vitest-1.0.0.tgz' });
    expect(await held({ base, candidate: { 'package-lock.json': disguised } })).toEqual(['package-lock.json']);
    const linked = lock({ resolved: 'fake', link: true });
    expect(await held({ base, candidate: { 'package-lock.json': linked } })).toEqual(['package-lock.json']);
  });

  it.each([
    ['sh scripts/check.sh', 'scripts/check.sh'],
    ['node ./tools/verify.mjs --all', 'tools/verify.mjs'],
    ['node tools/verify', 'tools/verify.js'],
    ['cd web && sh check.sh', 'web/check.sh'],
    ['python -m tools.check', 'tools/check.py'],
    ['make check', 'Makefile'],
    ['python -m pytest tests', 'pytest.py'],
    ['sh scripts/check.sh', 'Scripts/CHECK.sh'],
    ['just check', 'justfile'],
  ])('holds for the check "%s" its own script %s', async (run, path) => {
    expect(await held({ run, base: { [path]: '1' }, candidate: { [path]: '2' } })).toEqual([path]);
    expect(await held({ run: run.split(' '), base: { [path]: '1' } })).toEqual([path]);
  });

  it('holds the script that a package script runs', async () => {
    const same = { 'package.json': manifest({ scripts: { test: 'node scripts/run-tests.mjs' } }) };
    const change = {
      base: { ...same, 'scripts/run-tests.mjs': '1' },
      candidate: { ...same, 'scripts/run-tests.mjs': '2' },
    };
    expect(await held(change)).toEqual(['scripts/run-tests.mjs']);
  });

  it('holds a script of a nested package that the root comes to', async () => {
    const root = { 'package.json': manifest({ scripts: { test: 'npm run unit --workspaces' } }) };
    const nested = (unit: string) => ({
      ...root,
      'packages/a/package.json': manifest({ scripts: { unit, docs: unit } }),
    });
    expect(await held({ base: nested('vitest'), candidate: nested('true') })).toEqual(['packages/a/package.json']);
  });

  it('holds a link in place of a test folder, and a link among the tests', async () => {
    const base = { 'tests/a.test.js': '1' };
    expect(await held({ base, candidate: { tests: '../empty' }, special: ['tests'] })).toEqual(['tests']);
    expect(await held({ base, candidate: { 'tests/a.test.js': 'x.js' }, special: ['tests/a.test.js'] })).toEqual([
      'tests/a.test.js',
    ]);
  });

  it('holds a guarded file that becomes a folder', async () => {
    expect(await held({ base: { 'a.test.js': '1' }, candidate: { 'a.test.js/x': '2' } })).toEqual(['a.test.js']);
  });

  it.each([
    ['requirements.txt', `a ==${' '.repeat(200_000)}/`],
    ['pyproject.toml', `[project]\nname = "x"\n[${' '.repeat(200_000)}x`],
    ['yarn.lock', `resolved${' '.repeat(200_000)}`.repeat(3)],
    [
      'package.json',
      manifest({ scripts: { test: `run-s ${'+(a|aa)*'.repeat(5_000)}`, [`${'a'.repeat(5_000)}b`]: '' } }),
    ],
  ])('is not kept busy by a hostile %s', async (path, text) => {
    const startedAt = performance.now();
    await judge({ candidate: { [path]: text } });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it.each(['yarn.lock', 'pnpm-lock.yaml', 'Cargo.lock'])(
    'lets packages of the registry into %s, and holds others',
    async (path) => {
      const entries = {
        'yarn.lock': [
          'a@^1:\n  version "1.0.0"\n  resolved "https://registry.yarnpkg.com/a/-/a-1.tgz#f"\n',
          'b@^1:\n  resolved "https://evil.example/b.tgz"\n',
        ],
        'pnpm-lock.yaml': [
          '  a@1.0.0:\n    resolution: {integrity: sha512-x==}\n',
          '  b@1.0.0:\n    resolution: {tarball: https://evil.example/b.tgz}\n',
        ],
        'Cargo.lock': [
          '[[package]]\nsource = "registry+https://github.com/rust-lang/crates.io-index"\n',
          '[[package]]\nsource = "git+https://evil.example/b#1"\n',
        ],
      }[path];
      expect(await judge({ base: { [path]: '' }, candidate: { [path]: entries?.[0] ?? '' } })).toEqual(free);
      expect(await held({ base: { [path]: '' }, candidate: { [path]: entries?.[1] ?? '' } })).toEqual([path]);
    },
  );

  it('judges a change of 50,000 files in a moment', async () => {
    const files = (folder: string) =>
      Object.fromEntries(Array.from({ length: 25_000 }, (_, n) => [`${folder}/${n % 100}/${n}.js`, '1']));
    const startedAt = performance.now();
    expect(await judge({ base: files('a'), candidate: files('b') })).toEqual(free);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  it('holds what the user names, and never what the user allows', async () => {
    expect(await held({ candidate: { 'infra/check.hcl': 'x' }, config: ['infra/**'] })).toEqual(['infra/check.hcl']);
    expect(await judge({ candidate: { '.npmrc': 'x' }, allow: ['.npmrc'] })).toEqual(free);
  });
});
