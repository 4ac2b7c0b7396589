import { describe, expect, it } from 'vitest';
import { closureOf } from '../../src/guards/closure.ts';
import { GateSpec } from '../../src/schema/gate.ts';

/** How a check uses a file, and the steps that lead to it. */
async function found(run: string, files: Record<string, string>, path: string) {
  const gate = GateSpec.parse({ gate: 'command', name: 'check', run });
  if (gate.gate !== 'command') throw new Error('not a command');
  const closure = await closureOf([gate], { paths: new Set(Object.keys(files)), read: async (name) => files[name] });
  return closure.find(path);
}

describe('the closure of a check', () => {
  it.each([
    ['test -s hello.txt', 'hello.txt'],
    ['[ -f hello.txt ] && npm test', 'hello.txt'],
    ['! test -e hello.txt', 'hello.txt'],
    ['grep -q hi hello.txt', 'hello.txt'],
    ['wc -l < check.sh', 'check.sh'],
    ['node --check index.js', 'index.js'],
    ['npx prettier --check index.js', 'index.js'],
    ['sh -n run.sh', 'run.sh'],
    ['python -m py_compile app.py', 'app.py'],
    ['sh hello.sh | grep -q hello', 'hello.sh'],
    ['test "$(node index.js)" = hello', 'index.js'],
    ['cat notes.txt | grep -q done', 'notes.txt'],
  ])('does not contain what %j only inspects', async (run, path) => {
    expect(await found(run, { [path]: 'x' }, path)).toBeUndefined();
  });

  it.each([
    ['sh check.sh', 'check.sh'],
    ['timeout 60 sh -e check.sh --fast', 'check.sh'],
    ['test -f check.sh && sh check.sh', 'check.sh'],
    ['./check.sh', 'check.sh'],
    ['test -x "$(./check.sh)"', 'check.sh'],
    ['grep . check.sh | sh', 'check.sh'],
    ['sh < check.sh', 'check.sh'],
    ['node check.mjs', 'check.mjs'],
    ['NODE_ENV=test node --enable-source-maps tools/run', 'tools/run.js'],
    ['test -z `node check.mjs`', 'check.mjs'],
    ['bash -c "cd web && sh check.sh"', 'web/check.sh'],
    ['if test -f check.sh; then . ./check.sh; fi', 'check.sh'],
    ['eval test -f check.sh', 'check.sh'],
    ['for each in checks/*.sh; do sh "$each"; done', 'checks/one.sh'],
    ['DIR=ci; sh "$DIR/check.sh"', 'ci/check.sh'],
    ['python -m tools.check', 'tools/check.py'],
  ])('contains as a script what %j runs', async (run, path) => {
    expect(await found(run, { [path]: 'x' }, path)).toMatchObject({ role: 'script' });
  });

  it.each([
    ['cmp expected.txt out.txt', 'expected.txt'],
    ['grep -qf patterns.txt out.txt', 'patterns.txt'],
    ['grep -q --file=patterns.txt out.txt', 'patterns.txt'],
    ['npx eslint --config lint/strict.json src', 'lint/strict.json'],
    ['node --import ./hook.mjs --test', 'hook.mjs'],
    ['pytest -c ci/pytest.cfg', 'ci/pytest.cfg'],
  ])('contains as configuration what %j is decided by', async (run, path) => {
    expect(await found(run, { [path]: 'x' }, path)).toMatchObject({ role: 'configuration' });
  });

  const scripts = (test: string, more = {}) => JSON.stringify({ scripts: { test, ...more } });
  it.each<[string, string, Record<string, string>, string, string[]]>([
    [
      'shell scripts',
      'npm test',
      { 'package.json': scripts('sh t.sh'), 't.sh': 'echo start\n. ./u.sh\n', 'u.sh': 'exit 0' },
      'u.sh',
      ['npm test', 't.sh', 'u.sh'],
    ],
    [
      'a script that finds its own folder',
      'sh ci/t.sh',
      { 'ci/t.sh': 'bash "$(dirname "$0")/u.sh"', 'ci/u.sh': '' },
      'ci/u.sh',
      ['sh ci/t.sh', 'ci/t.sh', 'ci/u.sh'],
    ],
    [
      'package scripts',
      'npm run ci',
      { 'package.json': scripts('node --test', { ci: 'npm run unit', unit: 'sh u.sh' }), 'u.sh': '' },
      'u.sh',
      ['npm run ci', 'npm run unit', 'u.sh'],
    ],
    [
      'a package in a folder',
      'cd web && pnpm test',
      { 'web/package.json': scripts('sh t.sh'), 'web/t.sh': '' },
      'web/t.sh',
      ['cd web && pnpm test', 'web/t.sh'],
    ],
    [
      'make targets',
      'make check',
      { Makefile: 'all:\n\techo\ncheck: unit\nunit:\n\t@sh t.sh\n', 't.sh': '' },
      't.sh',
      ['make check', 't.sh'],
    ],
    [
      'a program that starts another',
      'node check.mjs',
      {
        'check.mjs': "import { execSync } from 'node:child_process'; execSync('sh ./u.sh'); process.exit(1)",
        'u.sh': '',
      },
      'u.sh',
      ['node check.mjs', 'check.mjs', 'u.sh'],
    ],
    [
      'imports of configuration',
      'npx vitest run --config vitest.config.ts',
      {
        'vitest.config.ts': "export default { test: { setupFiles: ['./config/setup.ts'] } }",
        'config/setup.ts': "import './more.ts'",
        'config/more.ts': '',
      },
      'config/more.ts',
      ['npx vitest run --config vitest.config.ts', 'vitest.config.ts', 'config/setup.ts', 'config/more.ts'],
    ],
    [
      'extended compiler settings',
      'npx tsc -p tsconfig.check.json',
      { 'tsconfig.check.json': '{ "extends": "./config/base.json" }', 'config/base.json': '{}' },
      'config/base.json',
      ['npx tsc -p tsconfig.check.json', 'tsconfig.check.json', 'config/base.json'],
    ],
    [
      'modules of Python',
      'python ci/check.py',
      { 'ci/check.py': 'from support.asserts import same\nimport sys; sys.exit(1)', 'support/asserts.py': '' },
      'support/asserts.py',
      ['python ci/check.py', 'ci/check.py', 'support/asserts.py'],
    ],
  ])('goes through %s', async (_what, run, files, path, chain) => {
    expect((await found(run, files, path))?.chain).toEqual(chain);
  });

  it('does not contain the scripts of other make targets and package scripts', async () => {
    const files = {
      Makefile: 'check:\n\tnpm test\nrelease:\n\tsh release.sh\n',
      'package.json': scripts('node --test', { docs: 'sh docs.sh' }),
      'release.sh': '',
      'docs.sh': '',
    };
    expect(await found('make check', files, 'release.sh')).toBeUndefined();
    expect(await found('make check', files, 'docs.sh')).toBeUndefined();
  });
});
