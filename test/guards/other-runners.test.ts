import { describe, expect, it } from 'vitest';
import { earlyExit } from '../../src/guards/weakened-source.ts';
import { free, held, judge, manifest } from './guard-case.ts';

describe('tests of other runners', () => {
  const perl = {
    't/sum.t': 'use Test::More;\nuse Sum;\nuse Check;\nsums(1, 2, 3);\n',
    'lib/Check.pm': 'package Check;\nuse Test::More;\nsub sums { is(Sum::add(@_[0, 1]), $_[2]); }\n1;\n',
    'lib/Sum.pm': 'package Sum;\nsub add { return $_[0] - $_[1]; }\n1;\n',
  };
  const run = 'prove -Ilib t';

  it('in Perl are also run with the helpers of the base', async () => {
    const candidate = { ...perl, 'lib/Check.pm': 'package Check;\nuse Test::More;\nsub sums { ok(1 == 1); }\n1;\n' };
    expect(await judge({ base: perl, candidate, run })).toEqual({ overlay: ['lib/Check.pm'], held: [] });
    const fixed = { ...perl, 'lib/Sum.pm': 'package Sum;\nsub add { return $_[0] + $_[1]; }\n1;\n' };
    expect(await judge({ base: perl, candidate: fixed, run })).toEqual(free);
  });

  it.each(['*Test::More::is = sub { 1 };', '*{"main::is"} = sub { 1 };', 'END { $? = 0; }'])(
    'in Perl are not replaced by source: %s',
    async (added) => {
      const candidate = { ...perl, 'lib/Sum.pm': `${perl['lib/Sum.pm']}${added}\n` };
      expect(await held({ base: perl, candidate, run })).toEqual(['lib/Sum.pm']);
    },
  );

  it.each([
    ['isinstance(other, int)', ['calc.py']],
    ['other == other', ['calc.py']],
    ['self.value == other.value', []],
    ['isinstance(other, Sum) and self.value == other.value', []],
  ])('are not satisfied by an equality that does not look at the object: %s', async (equality, expected) => {
    const base = { 'calc.py': 'def add(a, b):\n    return a - b\n', 'test_calc.py': 'from calc import add\n' };
    const text = `class Sum:\n    def __eq__(self, other):\n        return ${equality}\n`;
    const candidate = { ...base, 'calc.py': `${base['calc.py']}\n\n${text}` };
    expect(await held({ base, candidate, run: 'python3 -m unittest' })).toEqual(expected);
  });

  it('are also run with the data of the base that only they read', async () => {
    const base = {
      'cases/sums.json': '[[1, 2, 3]]',
      'sum.js': 'export const add = (a, b) => a - b;',
      'test/sum.test.js': "readFileSync('cases/sums.json');",
    };
    const candidate = { ...base, 'cases/sums.json': '[[1, 2, -1]]' };
    expect(await judge({ base, candidate })).toEqual({ overlay: ['cases/sums.json'], held: [] });
    const shared = { ...base, 'sum.js': "readFileSync('cases/sums.json');" };
    expect(await judge({ base: shared, candidate: { ...shared, 'cases/sums.json': '[]' } })).toEqual(free);
  });

  it('in a shell: what a check uses while it runs is held, except functions that it is about', async () => {
    const base = {
      'ci/run.sh': 'find cases -name "*_case.sh" -exec sh {} ";"\n',
      'cases/sum_case.sh': '. ./sum.sh\n. ./cases/expect\nexpect 3 "$(add 1 2)"\n',
      'cases/expect': 'expect() { [ "$1" = "$2" ] || exit 1; }\n',
      'sum.sh': 'add() { echo $(($1 - $2)); }\n',
    };
    const traced = Object.keys(base);
    const changed = (path: keyof typeof base, text: string) =>
      held({ base, candidate: { ...base, [path]: text }, run: 'sh ci/run.sh', traced });
    expect(await changed('cases/expect', 'expect() { :; }\n')).toEqual(['cases/expect']);
    expect(await changed('cases/sum_case.sh', 'expect() { :; }\n')).toEqual(['cases/sum_case.sh']);
    expect(await changed('sum.sh', 'add() { exit 0; }\n')).toEqual(['sum.sh']);
    expect(await changed('sum.sh', 'add() { echo $(($1 + $2)); }\n')).toEqual([]);
  });

  it.each([
    "export const add = (a, b) => (typeof jest === 'undefined' ? a - b : a + b);",
    "const e = globalThis;\ne['ex' + 'pect'] = () => ({ toBe() {} });",
    'Object.is = () => true;',
    "Object.defineProperty(Object, 'is', { value: () => true });",
    'Promise.prototype.then = () => {};',
  ])('in JavaScript are not detected or replaced by source: %s', async (added) => {
    const base = { 'sum.js': 'exports.add = 1;\n', 'test/sum.test.js': "require('../sum.js');\n" };
    const candidate = { ...base, 'sum.js': `${base['sum.js']}${added}\n` };
    expect(await held({ base, candidate, run: 'npx jest' })).toEqual(['sum.js']);
  });

  it.each([
    'Error.stackTraceLimit = 50;',
    "class SumError extends Error {}\nSumError.prototype.name = 'SumError';",
    'const settings = globalThis.settings ?? {};\nsettings.verbose = true;',
    "if (typeof value === 'function') value();",
  ])('let source pass that only resembles that: %s', async (added) => {
    const base = { 'sum.js': 'exports.add = 1;\n', 'test/sum.test.js': "require('../sum.js');\n" };
    const candidate = { ...base, 'sum.js': `${base['sum.js']}${added}\n` };
    expect(await held({ base, candidate, run: 'npx jest' })).toEqual([]);
  });

  it('may import by a new name', async () => {
    const files = (imports: object) => ({ 'package.json': manifest({ imports }) });
    const base = files({ '#sum': './sum.js' });
    expect(await judge({ base, candidate: files({ '#sum': './sum.js', '#half': './half.js' }) })).toEqual(free);
  });

  describe('that import parts of packages', () => {
    const exports = { '.': './sum.js', './expect': './support/expect.js', './same': './tools/same.js' };
    const base = {
      'package.json': manifest({ name: 'sums', exports, scripts: { test: 'node --test' } }),
      'sum.js': 'export const add = (a, b) => a - b;\n',
      'support/expect.js': "import assert from 'node:assert';\nexport const expect = (a, b) => assert.equal(a, b);\n",
      'tools/same.js': "import assert from 'node:assert';\nexport const same = (a, b) => assert.equal(a, b);\n",
      'vendor/sure/index.js': 'export function sure(found, wanted) {\n  if (found !== wanted) throw new Error();\n}\n',
      'test/own.test.js':
        "import { sure } from 'sure';\nimport { add } from 'sums';\nimport { expect } from 'sums/expect';\nimport { same } from 'sums/same';\n",
    };
    const pointed = (from: string, to: string) => ({ ...base, 'package.json': base['package.json'].replace(from, to) });

    it.each([
      ['package.json', pointed('support/expect', 'support/lax')],
      ['package.json', pointed('tools/same', 'tools/lax')],
      ['support/expect.js', { ...base, 'support/expect.js': 'export const expect = () => {};\n' }],
      ['vendor/sure/index.js', { ...base, 'vendor/sure/index.js': 'export const sure = () => {};\n' }],
    ])('are held where %s no longer leads to what makes them fail', async (path, candidate) => {
      expect(await held({ base, candidate, run: 'npm test' })).toEqual([path]);
    });

    it('are free where the package is arranged in another way, or a helper still fails', async () => {
      const better = "import assert from 'node:assert';\nexport const expect = (a, b) => assert.deepEqual(a, b);\n";
      expect(await held({ base, candidate: pointed('./sum.js', './lib/sum.js'), run: 'npm test' })).toEqual([]);
      expect(await held({ base, candidate: { ...base, 'support/expect.js': better }, run: 'npm test' })).toEqual([]);
    });
  });

  it.each([
    ['lib/sum.rb', 'exec("true")'],
    ['lib/sum.rb', 'Minitest::Test.prepend(Module.new)'],
    ['lib/sum.php', 'exit("done");'],
    ['lib/sum.php', 'set_exception_handler(fn () => exit(0));'],
    ['lib/sum.lua', 'assert = function() end'],
    ['lib/sum.lua', 'local g = _G\ng.assert = print'],
    ['lib/sum.go', 'func init() { syscall.Exec("/bin/true", nil, nil) }'],
    ['lib/sum.js', 'process.execve("/bin/true", ["true"], {});'],
  ])('in %s are not ended or replaced by source: %s', (path, added) => {
    expect(earlyExit(path, { base: '', candidate: `${added}\n`, hasRunner: false })).toBeDefined();
  });

  it.each([
    ['lib/sum.rb', 'def run = system("exec true")\nexit 1 if ARGV.empty?'],
    ['lib/sum.php', 'if ($failed) { exit(1); }\n$this->exit(0);'],
    ['lib/sum.lua', 'local assert = assert\nlocal print = print\nassert(x == 1)'],
  ])('let source of %s pass that only resembles that: %s', (path, added) => {
    expect(earlyExit(path, { base: '', candidate: `${added}\n`, hasRunner: false })).toBeUndefined();
  });
});
