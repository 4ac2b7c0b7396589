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

  it('lets settings of the compiler pass that let it find no less', async () => {
    const base = { 'tsconfig.json': '{ "include": ["src"], "compilerOptions": { "strict": true } } // ours' };
    const candidate = {
      'tsconfig.json':
        '{ "include": ["src", "test"], "exclude": ["dist"], "compilerOptions": { "strict": true, "jsx": "react-jsx", "paths": { "#a": ["./src/a.ts"] }, } }',
    };
    expect(await judge({ base, candidate, run: 'npx tsc -p tsconfig.json' })).toEqual(free);
    expect(await judge({ base, candidate: { 'tsconfig.json': '{}' }, run: 'node --test' })).toEqual(free);
  });

  it.each([
    ['node --check index.js', 'index.js', 'export const a = 1;'],
    ['npx eslint index.js && npx prettier --check index.js', 'index.js', 'export const a = 1;'],
    ['node index.js', 'index.js', "console.log('hello');"],
    ['node index.js | grep -q hello', 'index.js', "console.log('hello'); process.exit(1);"],
    ['python -m py_compile app.py', 'app.py', 'a = 1'],
    ['python app.py > out.txt && diff expected.txt out.txt', 'app.py', 'print(1)'],
    ['npx markdownlint docs/guide.md', 'docs/guide.md', '# Guide'],
    ['go vet main.go', 'main.go', 'package main'],
    ['sh greet.sh | grep -qx hello', 'greet.sh', 'echo hello'],
  ])('lets source pass that the check %j mentions', async (run, path, text) => {
    const base = { [path]: text, 'expected.txt': '1' };
    expect(await judge({ run, base, candidate: { ...base, [path]: `${text}\n` } })).toEqual(free);
  });

  it('lets the target of a task pass that its own check runs', async () => {
    const change = { base: { 'check.sh': 'a' }, candidate: { 'check.sh': 'b' }, run: 'sh check.sh' };
    expect(await judge({ ...change, targets: ['check.sh'] })).toEqual(free);
    expect((await judge({ ...change, targets: ['other.sh'] })).held).toHaveLength(1);
  });

  it('lets source pass that only a test imports', async () => {
    const base = {
      'src/price.js': "export const price = (n) => { if (n < 0) throw new RangeError('negative'); return n; };",
      'lib.js': 'export const twice = (n) => n * 2;',
      'check.js': "import { twice } from './lib.js'; import assert from 'node:assert'; assert.equal(twice(1), 2);",
      'test/price.test.js': "import { price } from '../src/price.js';",
    };
    const candidate = {
      ...base,
      'src/price.js': 'export const price = (n) => n;',
      'lib.js': 'export const twice = (n) => n + n;',
    };
    expect(await judge({ base, candidate, run: 'node check.js && node --test' })).toEqual(free);
  });

  it('lets a make target pass that no check comes to', async () => {
    const base = { Makefile: 'check:\n\tgo test ./...\n' };
    const added = { Makefile: `${base.Makefile}release: check\n\tsh release.sh\n` };
    expect(await judge({ base, candidate: added, run: 'make check' })).toEqual(free);
    const weaker = { Makefile: 'check:\n\ttrue\n' };
    expect((await judge({ base, candidate: weaker, run: 'make check' })).held).toHaveLength(1);
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
    [
      'check.js',
      'lib.js',
      "import { same } from './lib.js'; process.exit(1)",
      'export function same(actual, expected) { if (actual !== expected) process.exit(1); }',
    ],
    [
      'test/a.test.js',
      'support/assert-equal.js',
      "import { assertEqual } from '../support/assert-equal.js';",
      'export function assertEqual(a, b) { if (a !== b) throw new Error(a); }',
    ],
    ['tests/test_a.py', 'helpers/asserts.py', 'from helpers.asserts import same', 'def same(a, b):\n    assert a == b'],
    [
      'spec/a_spec.rb',
      'support/matchers.rb',
      "require_relative '../support/matchers'",
      'def same(a, b) = (raise if a != b)',
    ],
    [
      'pkg/a_test.go',
      'internal/check/check.go',
      'package a',
      'package check\nimport "testing"\nfunc Equal(t *testing.T, a int, b int) { if a != b { t.Fatal(a) } }',
    ],
  ])('asks for the base version of what only %s loads: %s', async (test, path, importing, text) => {
    const base = { [test]: importing, [path]: text };
    const run = test === 'check.js' ? 'node check.js' : 'run-the-tests';
    const refactored = { ...base, [path]: `${text}\n` };
    expect(await judge({ base, candidate: refactored, run })).toEqual({ overlay: [path], held: [] });
    const emptied = { ...base, [path]: 'nothing' };
    expect((await judge({ base, candidate: emptied, run })).held.map((file) => file.path)).toEqual([path]);
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
