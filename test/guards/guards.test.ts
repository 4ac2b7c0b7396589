import { describe, expect, it } from 'vitest';
import { free, judge, manifest } from './guard-case.ts';

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
        packages: { 'node_modules/zod': { version, resolved: `https://packages.example/zod/-/zod-${version}.tgz` } },
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
      Gemfile: "source 'https://gems.example'\ngem 'rake'\n",
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
