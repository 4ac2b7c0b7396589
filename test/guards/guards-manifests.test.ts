import { describe, expect, it } from 'vitest';
import { free, held, judge, manifest } from './guard-case.ts';

describe('files of which only a part decides how checks run', () => {
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
    ['imports', 'npm test', { imports: { '#db': './db.js' } }, { imports: { '#db': './stub.js' } }],
    [
      'imports by a pattern',
      'npm test',
      { imports: { '#db': './db.js' } },
      { imports: { '#db': './db.js', '#*': './x.js' } },
    ],
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
    const base = { 'package-lock.json': lock({ resolved: 'https://packages.example/vitest/-/vitest-1.0.0.tgz' }) };
    const elsewhere = lock({ resolved: 'https://evil.example/vitest-1.0.0.tgz' });
    expect(await held({ base, candidate: { 'package-lock.json': elsewhere } })).toEqual(['package-lock.json']);
    const escaped = base['package-lock.json'].replace('https://packages.example', '\\u0068ttps:\\/\\/evil.example');
    expect(await held({ base, candidate: { 'package-lock.json': escaped } })).toEqual(['package-lock.json']);
    const disguised = lock({ resolved: 'https://packages.example@evil.example/vitest-1.0.0.tgz' });
    expect(await held({ base, candidate: { 'package-lock.json': disguised } })).toEqual(['package-lock.json']);
    const linked = lock({ resolved: 'fake', link: true });
    expect(await held({ base, candidate: { 'package-lock.json': linked } })).toEqual(['package-lock.json']);
  });

  it('holds a script of a nested package that the root comes to', async () => {
    const root = { 'package.json': manifest({ scripts: { test: 'npm run unit --workspaces' } }) };
    const nested = (unit: string) => ({
      ...root,
      'packages/a/package.json': manifest({ scripts: { unit, docs: unit } }),
    });
    expect(await held({ base: nested('vitest'), candidate: nested('true') })).toEqual(['packages/a/package.json']);
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
});
