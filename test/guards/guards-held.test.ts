import { describe, expect, it } from 'vitest';
import { free, held, judge, manifest } from './guard-case.ts';

describe('what measures the work of a task', () => {
  const base = {
    'bench/run.mjs': "import './data.mjs';\nimport { load } from '../src/load.mjs';\nload();\n",
    'bench/data.mjs': 'export const size = 9;\n',
    'src/load.mjs': 'export function load() {}\n',
  };

  it('is held: what its command starts, and what that loads from its own folder, but not the measured source', async () => {
    const changed = (path: keyof typeof base) => ({
      base,
      candidate: { ...base, [path]: `${base[path]}// shorter\n` },
      run: 'node bench/run.mjs',
      measures: true,
    });
    expect(await held(changed('bench/run.mjs'))).toEqual(['bench/run.mjs']);
    expect(await held(changed('bench/data.mjs'))).toEqual(['bench/data.mjs']);
    expect(await held(changed('src/load.mjs'))).toEqual([]);
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
    ...['babel.config.js', '.babelrc', 'pytest.ini', 'tox.ini', 'noxfile.py', 'phpunit.xml.dist'],
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

  it('holds a changed conftest.py, and lets a new one pass, without which the tests must pass too', async () => {
    expect(await held({ candidate: { 'tests/conftest.py': 'x' } })).toEqual([]);
    const [base, candidate] = [{ 'tests/conftest.py': 'x' }, { 'tests/conftest.py': 'y' }];
    expect(await held({ base, candidate })).toEqual(['tests/conftest.py']);
    expect(await held({ base, candidate: {} })).toEqual(['tests/conftest.py']);
  });

  it('is not deceived by invisible characters in a name', async () => {
    expect(await held({ candidate: { '.np\u200dmrc': 'script-shell=/bin/true' } })).toHaveLength(1);
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

  it('names the steps by which a check comes to a held script', async () => {
    const base = {
      'package.json': manifest({ scripts: { test: 'sh t.sh' } }),
      't.sh': 'sh u.sh',
      'u.sh': 'node --test',
    };
    const found = await judge({ base, candidate: { ...base, 'u.sh': 'true' } });
    expect(found.held).toEqual([{ path: 'u.sh', reason: 'is modified and a check runs it: npm test -> t.sh -> u.sh' }]);
  });

  it.each([
    ['reads fewer files', '{ "include": ["src"] }', '{ "include": ["src/good"] }'],
    ['reads only some files', '{}', '{ "files": ["good.ts"] }'],
    ['excludes a file', '{ "include": ["src"] }', '{ "include": ["src"], "exclude": ["src/broken.ts"] }'],
    ['extends other settings', '{ "extends": "./a.json" }', '{ "extends": "./b.json" }'],
    ['is less strict', '{ "compilerOptions": { "strict": true } }', '{ "compilerOptions": {} }'],
    [
      'switches a part off',
      '{ "compilerOptions": { "strict": true } }',
      '{ "compilerOptions": { "strict": true, "noImplicitAny": false } }',
    ],
    ['checks nothing', '{}', '{ "compilerOptions": { "noCheck": true } }'],
    ['is gone', '{}', undefined],
  ])('holds settings of the compiler with which it %s', async (_what, before, after) => {
    const scripts = { 'package.json': manifest({ scripts: { test: 'npm run types', types: 'tsc --noEmit' } }) };
    const candidate = after === undefined ? scripts : { ...scripts, 'tsconfig.json': after };
    expect(await held({ base: { ...scripts, 'tsconfig.json': before }, candidate })).toEqual(['tsconfig.json']);
  });

  it('holds a link in place of a test folder, and a link among the tests', async () => {
    const base = { 'tests/a.test.js': '1' };
    expect(await held({ base, candidate: { tests: '../empty' }, special: ['tests'] })).toEqual(['tests']);
    expect(await held({ base, candidate: { 'tests/a.test.js': 'x.js' }, special: ['tests/a.test.js'] })).toEqual([
      'tests/a.test.js',
    ]);
  });

  it.each([
    ['src/a.js', '/etc/passwd'],
    ['src/a.js', '../../outside.js'],
    ['docs', '.git/hooks'],
  ])('holds %s as a link to %s, which leads out of the repository', async (path, target) => {
    const found = await judge({ base: { [path]: 'x' }, candidate: { [path]: target }, special: [path] });
    expect(found.held).toEqual([{ path, reason: `is a link that leads out of the repository, to ${target}` }]);
    const inside = { base: {}, candidate: { 'docs/latest': '../src' }, special: ['docs/latest'] };
    expect(await judge(inside)).toEqual(free);
  });

  it.each([
    ['src/a.js', 'process.exit(0);'],
    ['src/a.js', "process['exit']();"],
    ['src/a.js', 'process.exitCode = 0;'],
    ['src/a.js', "process.on('exit', () => { process.exitCode = 0; });"],
    ['src/a.ts', "import { exit } from 'node:process'; exit(0);"],
    ['src/a.js', "import check from 'node:assert'; check.equal = () => {};"],
    ['src/a.js', "import all from 'node:assert'; for (const key of Object.keys(all)) all[key] = () => {};"],
    ['src/a.js', "import * as all from 'chai';\nconst { default: one } = all;\none['equal'] = () => {};"],
    ['src/a.js', "require('assert').equal = () => {};"],
    ['src/a.js', 'globalThis.test = () => {};'],
    ['src/a.js', 'Object.assign(assert, { equal() {} });'],
    ['a.py', 'import os\nos._exit(0)'],
    ['a.py', 'import sys\nsys.exit()'],
    ['a.py', 'class Any:\n    def __eq__(self, other):\n        return True'],
    ['a.py', 'try:\n    pass\nfinally:\n    raise SystemExit'],
    ['a.py', 'import atexit\natexit.register(print)'],
    ['a.py', 'import unittest\nunittest.TestCase.assertEqual = lambda *a: None'],
    ['pkg/a.go', 'package a\nfunc init() { os.Exit(0) }'],
    ['src/lib.rs', 'pub fn a() { std::process::exit(0) }'],
    ['src/A.java', 'class A { static { System.exit(0); } }'],
    ['lib/a.rb', 'at_exit { exit! }'],
    ['src/a.php', '<?php exit(0);'],
    ['src/a.c', '#define assert(x)'],
    ['A.cs', 'class A { static A() { Environment.Exit(0); } }'],
  ])('holds in %s, which a test loads: %s', async (path, text) => {
    const tests = {
      'test/a.test.js': "import '../src/a.js';",
      'test/b.test.ts': "import '../src/a.ts';",
      'tests/test_a.py': 'import a',
    };
    const names = { 'test/a_spec.rb': "require_relative '../lib/a'", 'test/ATest.php': "require '../src/a.php';" };
    const base = { ...tests, ...names, [path]: 'x' };
    const found = await judge({ base, candidate: { ...base, [path]: `x\n${text}` }, run: 'run-the-tests' });
    expect(found.held).toMatchObject([{ path, reason: expect.stringContaining('a check loads it') }]);
    expect(await held({ base: { ...base, [path]: text }, candidate: { ...base, [path]: `${text}\nmore` } })).toEqual(
      [],
    );
  });

  it.each([
    ['a program that no test loads', 'src/cli.js', 'process.exit(0);'],
    ['an exit with an error', 'src/a.js', 'if (bad) process.exit(1);'],
    [
      'the main program of a module',
      'a.py',
      "def main():\n    return 0\n\nif __name__ == '__main__':\n    import sys\n    sys.exit(main())",
    ],
    ['an exit inside a function of Python', 'a.py', 'def stop():\n    sys.exit(0)'],
    ['the main function of Go', 'main.go', 'package main\nfunc main() {\n\tos.Exit(run())\n}'],
    ['the main function of Rust', 'src/main.rs', 'fn main() { std::process::exit(run()) }'],
    ['a handler of a signal', 'src/a.js', "process.on('SIGTERM', () => server.close());"],
    ['a comparison', 'src/a.js', 'if (process.exitCode === 0) report();'],
  ])('lets %s pass', async (_what, path, text) => {
    const base = { 'test/a.test.js': "import '../src/a.js';", 'tests/test_a.py': 'import a', [path]: 'x' };
    expect(await judge({ base, candidate: { ...base, [path]: `x\n${text}` }, run: 'run-the-tests' })).toEqual(free);
  });

  const RUST = (body: string, test = '#[test]\n    fn adds() { assert_eq!(add(1, 2), 3); }') =>
    `pub fn add(a: i32, b: i32) -> i32 { ${body} }\n#[cfg(test)]\nmod tests {\n    use super::*;\n    ${test}\n}\n`;
  it.each([
    ['deleted', 'pub fn add(a: i32, b: i32) -> i32 { 0 }\n', 'deletes its test adds'],
    [
      'ignored',
      RUST('0', '#[test]\n    #[ignore]\n    fn adds() { assert_eq!(add(1, 2), 3); }'),
      'marks its test adds as ignored',
    ],
    ['weakened', RUST('0', '#[test]\n    fn adds() { add(1, 2); }'), 'changes its test adds'],
    ['not compiled', RUST('0').replace('cfg(test)', 'cfg(any())'), 'changes when its tests are compiled'],
  ])('holds source of Rust whose inline tests are %s', async (_what, text, reason) => {
    const run = 'cargo test';
    const found = await judge({ run, base: { 'src/lib.rs': RUST('a + b') }, candidate: { 'src/lib.rs': text } });
    expect(found.held).toEqual([{ path: 'src/lib.rs', reason }]);
    const more = RUST('b + a', '#[test]\n    fn adds() { assert_eq!(add(1, 2), 3); }\n    #[test]\n    fn more() {}');
    expect(await judge({ run, base: { 'src/lib.rs': RUST('a + b') }, candidate: { 'src/lib.rs': more } })).toEqual(
      free,
    );
  });

  it('holds a guarded file that becomes a folder', async () => {
    expect(await held({ base: { 'a.test.js': '1' }, candidate: { 'a.test.js/x': '2' } })).toEqual(['a.test.js']);
  });

  it.each(['yarn.lock', 'pnpm-lock.yaml', 'Cargo.lock'])(
    'lets packages of the registry into %s, and holds others',
    async (path) => {
      const entries = {
        'yarn.lock': [
          'a@^1:\n  version "1.0.0"\n  resolved "https://packages.example/a/-/a-1.tgz#f"\n',
          'b@^1:\n  resolved "https://evil.example/b.tgz"\n',
        ],
        'pnpm-lock.yaml': [
          '  a@1.0.0:\n    resolution: {integrity: sha512-x==}\n',
          '  b@1.0.0:\n    resolution: {tarball: https://evil.example/b.tgz}\n',
        ],
        'Cargo.lock': [
          '[[package]]\nsource = "registry+https://packages.example/index"\n',
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
    const before = process.cpuUsage();
    expect(await judge({ base: files('a'), candidate: files('b') })).toEqual(free);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(20_000);
  });

  it('holds what the user names, and never what the user allows', async () => {
    expect(await held({ candidate: { 'infra/check.hcl': 'x' }, config: ['infra/**'] })).toEqual(['infra/check.hcl']);
    expect(await judge({ candidate: { '.npmrc': 'x' }, allow: ['.npmrc'] })).toEqual(free);
  });
});

describe('what checks reach without naming it', () => {
  const script = (text: string) => ({ 'tools/run.mjs': text });
  it.each([
    [
      'a list of tests that a script reads',
      script("import fs from 'node:fs';\nfs.readFileSync('all.json');\nprocess.exit(1);"),
      'all.json',
      '["test/a.test.js"]',
      'node tools/run.mjs',
    ],
    [
      'a threshold that a script reads',
      script("read('quality/thresholds.json');\nprocess.exit(1);"),
      'quality/thresholds.json',
      '{"lines":90}',
      'node tools/run.mjs',
    ],
    ['a list of tests that the shell reads', {}, 'ci-tests', 'test/a.test.js', 'node --test $(cat ci-tests)'],
    [
      'a setup file that the settings of a runner name',
      { 'jest.config.js': "module.exports = { setupFiles: ['./begin.js'] };" },
      'begin.js',
      'global.x = 1;',
      'npx jest',
    ],
    [
      'a setup file that package.json names',
      { 'package.json': manifest({ jest: { setupFilesAfterEnv: ['<rootDir>/begin.js', './begin.js'] } }) },
      'begin.js',
      'global.x = 1;',
      'npx jest',
    ],
    [
      'rules that the settings of a linter import',
      { 'eslint.config.js': "import rules from './quality.js';\nexport default [rules];" },
      'quality.js',
      'export default {};',
      'npx eslint .',
    ],
    [
      'a plugin that the settings of pytest name',
      { 'pyproject.toml': '[tool.pytest.ini_options]\naddopts = "-q -p plugins.order"\n' },
      'plugins/order.py',
      'def pytest_configure(config): pass',
      'python3 -m pytest',
    ],
    [
      'settings that those of the compiler extend',
      { 'tsconfig.json': '{"extends":"./config/ts.json"}' },
      'config/ts.json',
      '{"compilerOptions":{"strict":true}}',
      'tsc -p .',
    ],
    [
      'a makefile that another one includes by a pattern',
      { Makefile: 'include mk/*.mk\ntest:\n\t$(RUN)\n', 'mk/a.mk': 'include mk/more/b.inc\nRUN = node' },
      'mk/more/b.inc',
      'X = 1',
      'make test',
    ],
  ])('holds %s', async (_what, files, path, text, run) => {
    const base = { ...files, 'test/a.test.js': 'x', [path]: text };
    expect(
      await held({
        base,
        candidate: { ...base, [path]: path.endsWith('ts.json') ? '{"compilerOptions":{}}' : `${text} ` },
        run,
      }),
    ).toEqual([path]);
  });

  it.each([
    [
      'a makefile that is included where it exists',
      { Makefile: '-include local.mk\ntest:\n\tnode --test\n' },
      'local.mk',
      'make test',
    ],
    [
      'a program in a folder that PATH begins with',
      { 'ci/t.sh': 'export PATH="$PWD/bin:$PATH"\nnode --test\n' },
      'bin/node',
      'sh ci/t.sh',
    ],
    ['a module with the name of a library', {}, 'unittest.py', 'python3 -m pytest'],
  ])('holds %s when it is added', async (_what, base, path, run) => {
    expect(await held({ base, candidate: { ...base, [path]: 'x' }, run })).toEqual([path]);
  });

  it('holds a typed file that becomes an untyped one', async () => {
    const base = { 'src/a.ts': 'export const a: number = 1;' };
    expect(await held({ base, candidate: { 'src/a.js': 'export const a = 1;' }, run: 'tsc --noEmit' })).toEqual([
      'src/a.ts',
    ]);
  });

  it('runs the tests with the golden output of the base', async () => {
    const base = { 'golden/a.txt': '1', 'test/a.test.js': "read('golden/a.txt')" };
    expect((await judge({ base, candidate: { ...base, 'golden/a.txt': '2' }, run: 'node --test' })).overlay).toEqual([
      'golden/a.txt',
    ]);
    const read = { ...base, 'src/a.js': "read('golden/a.txt')" };
    expect(await judge({ base: read, candidate: { ...read, 'golden/a.txt': '2' }, run: 'node --test' })).toEqual(free);
  });

  it.each([
    [
      'data that a check is about',
      script("read('data/prices.json');\nprocess.exit(1);"),
      'data/prices.json',
      'node tools/run.mjs',
    ],
    [
      'source that the settings of a runner name',
      { 'vitest.config.js': "export default { test: { coverage: { include: ['sum.js'] } } };" },
      'sum.js',
      'npx vitest run',
    ],
    [
      'source that the settings of a bundler import',
      { 'vite.config.js': "import { plugin } from './src/plugin.js';\nexport default { plugins: [plugin] };" },
      'src/plugin.js',
      'npx vitest run',
    ],
    [
      'a program in a folder of PATH that no check starts',
      { 'ci/t.sh': 'PATH=./bin:$PATH\nnode --test\n' },
      'bin/sums',
      'sh ci/t.sh',
    ],
  ])('lets %s pass', async (_what, files, path, run) => {
    const base = { ...files, [path]: 'export const a = 1;' };
    expect(await judge({ base, candidate: { ...base, [path]: 'export const a = 2;' }, run })).toEqual(free);
  });

  it.each([
    ['Go that knows that a test runs', 'a.go', 'if testing.Testing() { return a + b }'],
    ['Rust that knows that a test runs', 'a.rs', 'if cfg!(test) { a + b } else { a - b }'],
    ['Python that knows that a test runs', 'a.py', 'if "pytest" in sys.modules: pass'],
    ['Python that reads the frame of its caller', 'a.py', 'frame = inspect.currentframe()'],
    ['JavaScript that knows that a test runs', 'src/a.js', 'if (process.env.VITEST) add = plus;'],
    ['Java whose objects equal everything', 'A.java', 'public boolean equals(Object o) { return true; }'],
    ['Ruby whose objects equal everything', 'a.rb', 'def ==(other)\n  true\nend'],
    ['C++ whose objects equal everything', 'a.cpp', 'bool operator==(const A& a, const A& b) { return true; }'],
    ['text that is evaluated', 'src/a.js', 'new Function("return 1")();'],
  ])('holds %s', async (_what, path, text) => {
    const base = {
      'test/a.test.js': "import '../src/a.js';",
      'tests/test_a.py': 'import a',
      'test/a_test.rb': "require_relative '../a'",
      [path]: 'x\n',
    };
    expect(await held({ base, candidate: { ...base, [path]: `x\n${text}\n` }, run: 'npm test' })).toEqual([path]);
  });
});
