import { describe, expect, it } from 'vitest';
import { free, held, judge, manifest } from './guard-case.ts';

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
    const startedAt = performance.now();
    expect(await judge({ base: files('a'), candidate: files('b') })).toEqual(free);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  it('holds what the user names, and never what the user allows', async () => {
    expect(await held({ candidate: { 'infra/check.hcl': 'x' }, config: ['infra/**'] })).toEqual(['infra/check.hcl']);
    expect(await judge({ candidate: { '.npmrc': 'x' }, allow: ['.npmrc'] })).toEqual(free);
  });
});
