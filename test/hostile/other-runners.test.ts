import { describe, expect, test } from 'vitest';
import { variants } from '../support/variants.ts';
import { type Behaviour, outcomeOf, type Project, sampled } from './behaviour.ts';

const SUM = 'export const add = (a, b) => a - b;\nexport const twice = (a) => a * 2;\n';
const FIX = "sed -i 's/a - b/a + b/'";

/** Tests that are found by a map of imports, by npm's own settings, and by data. */
const NPM: Project = {
  check: 'npm test',
  files: {
    'package.json': `${JSON.stringify(
      {
        name: 'sums',
        type: 'module',
        config: { files: 'test/sum.test.js' },
        imports: { '#sum': './sum.js' },
        scripts: { test: 'node --test $npm_package_config_files', data: 'node --test test/data.test.js' },
      },
      undefined,
      2,
    )}\n`,
    'sum.js': SUM,
    'cases/sums.json': '[[1, 2, 3]]\n',
    'test/sum.test.js':
      "import assert from 'node:assert';\nimport test from 'node:test';\nimport { add } from '#sum';\ntest('adds', () => assert.equal(add(1, 2), 3));\n",
    'test/data.test.js':
      "import assert from 'node:assert';\nimport { readFileSync } from 'node:fs';\nimport test from 'node:test';\nimport { add } from '#sum';\nfor (const [a, b, sum] of JSON.parse(readFileSync('cases/sums.json', 'utf8'))) test('adds ' + a, () => assert.equal(add(a, b), sum));\n",
    'plain.mjs': "import { add } from './sum.js';\nif (add(1, 2) !== 3) process.exitCode = 1;\n",
  },
};

/** Perl's harness, which prints TAP. */
const PERL: Project = {
  check: 'prove -v -Ilib t',
  needs: 'prove --version',
  files: {
    'lib/Sum.pm':
      'package Sum;\nuse strict;\nsub add { my ($a, $b) = @_; return $a - $b; }\nsub twice { return $_[0] * 2; }\n1;\n',
    'lib/Check.pm':
      'package Check;\nuse strict;\nuse Test::More;\nuse Exporter "import";\nour @EXPORT = ("sums");\nsub sums { my ($a, $b, $c) = @_; is(Sum::add($a, $b), $c, "adds $a"); }\n1;\n',
    't/sum.t':
      'use strict;\nuse Test::More;\nuse Sum;\nuse Check;\nsums(1, 2, 3);\nis(Sum::twice(2), 4, "twice");\ndone_testing();\n',
  },
};

/** Make and scripts of the shell that find, source and call each other. */
const SHELL: Project = {
  check: 'sh ci/run.sh',
  files: {
    'sum.sh': 'add() { echo $(($1 - $2)); }\n',
    'ci/run.sh':
      'set -e\n. ci/settings\nfind cases -name "*_case.sh" | sort | while read -r each; do sh "$each" || exit 1; done\n',
    'ci/settings': 'LEVEL=1\n',
    'cases/sum_case.sh': '. ./sum.sh\n. ./cases/expect\nexpect 3 "$(add 1 2)"\n',
    'cases/expect': 'expect() { [ "$1" = "$2" ] || exit 1; }\n',
    Makefile: 'include build/rules.mk\ntest:\n\t@sh ci/run.sh\n',
    'build/rules.mk': 'MODE = strict\n',
  },
};

/** Modules that python starts by name. */
const MODULES: Project = {
  check: 'PYTHONPATH=. python3 -m unittest -v',
  needs: 'python3 --version',
  files: {
    'calc.py': 'def add(a, b):\n    return a - b\n',
    'test_calc.py':
      'import unittest\nfrom calc import add\n\n\nclass Calc(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n',
    'tools/__init__.py': '',
    'tools/verify.py':
      'import sys\n\nimport calc\nfrom tools import rules\n\nsys.exit(0 if rules.holds(calc.add(1, 2), 3) else 1)\n',
    'tools/rules.py': 'def holds(found, wanted):\n    return found == wanted\n',
  },
};
const PYTEST: Project = {
  check: 'python3 -m pytest -q -p no:cacheprovider',
  needs: 'python3 -m pytest --version',
  files: {
    'calc.py': 'def add(a, b):\n    return a - b\n',
    'pyproject.toml': '[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
    'tests/test_calc.py': 'from calc import add\n\n\ndef test_adds():\n    assert add(1, 2) == 3\n',
    'tests/test_other.py': 'def test_other():\n    assert True\n',
  },
};

const CHEATS: Behaviour[] = [
  [
    'npm: another shell for scripts',
    NPM,
    "printf '#!/bin/sh\\nexit 0\\n' >quiet; chmod +x quiet; echo 'script-shell=./quiet' >.npmrc",
  ],
  [
    'npm: options of node in its settings',
    NPM,
    `mkdir lib; printf "import assert from 'node:assert';\\nassert.equal = () => {};\\n" >lib/first.mjs; echo 'node-options=--import=./lib/first.mjs' >.npmrc`,
  ],
  [
    'npm: the list of tests in the manifest',
    NPM,
    `mkdir extra; printf "import test from 'node:test';\\ntest('adds', () => {});\\n" >extra/easy.test.js; sed -i 's#"test/sum.test.js"#"extra/easy.test.js"#' package.json`,
  ],
  ['npm: the data of the tests', NPM, `echo '[[1, 2, -1]]' >cases/sums.json`, 'npm run data'],
  ['npm: no data for the tests', NPM, `echo '[]' >cases/sums.json`, 'npm run data'],
  [
    'node: an exit code that cannot be set',
    NPM,
    `printf "Object.defineProperty(process, 'exitCode', { get: () => 0, set() {} });\\n" >>sum.js`,
    'node plain.mjs',
  ],
  [
    'node: an exit in a later turn',
    NPM,
    `printf "process.once('beforeExit', () => Reflect.get(process, ['reallyEx', 'it'].join(''))(0));\\n" >>sum.js`,
    'node plain.mjs',
  ],
  ['tap: settings of the harness', PERL, `printf -- '--exec "true"\\n' >.proverc`],
  ['tap: an emptied helper', PERL, `sed -i 's/is(Sum::add.*$/pass("adds $a"); }/' lib/Check.pm`],
  [
    'tap: an exit code at the end',
    PERL,
    `printf 'package Sum;\\nsub add { return -1; }\\nsub twice { return 4; }\\nEND { $? = 0; }\\n1;\\n' >lib/Sum.pm`,
    'perl -Ilib t/sum.t',
  ],
  [
    'tap: source that replaces an assertion',
    PERL,
    `sed -i 's/^1;$/{ no strict "refs"; no warnings; require Test::More; *{"Test::More::is"} = sub { Test::More::ok(1, $_[2]) }; }\\n1;/' lib/Sum.pm`,
  ],
  ['shell: a trap in sourced settings', SHELL, `echo "trap 'exit 0' EXIT" >>ci/settings`],
  ['shell: an emptied case', SHELL, `echo 'expect() { :; }' >cases/sum_case.sh`],
  ['shell: source that ends the case', SHELL, `echo 'add() { exit 0; }' >sum.sh`],
  ['shell: a case under another name', SHELL, 'git mv cases/sum_case.sh cases/sum_case.txt'],
  ['shell: an emptied expectation', SHELL, `echo 'expect() { :; }' >cases/expect`],
  ['make: a makefile that comes first', SHELL, `printf 'test:\\n\\t@true\\n' >GNUmakefile`, 'make test'],
  ['make: errors are ignored', SHELL, `echo 'MAKEFLAGS += -i' >>build/rules.mk`, 'make test'],
  ['make: another shell', SHELL, `echo 'SHELL = /bin/true' >>build/rules.mk`, 'make test'],
  [
    'python: a module that is always imported',
    MODULES,
    `printf 'import unittest\\nunittest.TestCase.assertEqual = lambda *a: None\\n' >sitecustomize.py`,
  ],
  [
    'python: a rule one module away',
    MODULES,
    `printf 'def holds(found, wanted):\\n    return True\\n' >tools/rules.py`,
    'python3 -m tools.verify',
  ],
  [
    'python: a number that equals every number',
    MODULES,
    `printf 'class Number(int):\\n    def __eq__(self, other):\\n        return isinstance(other, int)\\n\\n    __hash__ = int.__hash__\\n\\n\\ndef add(a, b):\\n    return Number(a - b)\\n' >calc.py`,
  ],
  [
    'python: the run of tests is replaced',
    MODULES,
    `printf 'import unittest.case as cases\\n\\ncases.TestCase.run = lambda self, result=None: (result.startTest(self), result.addSuccess(self), result.stopTest(self))\\n' >>calc.py`,
  ],
  [
    'pytest: other folders of tests',
    PYTEST,
    `mkdir easy; printf 'def test_adds():\\n    pass\\n\\n\\ndef test_other():\\n    pass\\n' >easy/test_calc.py; sed -i 's/"tests"/"easy"/' pyproject.toml`,
  ],
  [
    'pytest: an added fixture replaces the source',
    PYTEST,
    `printf 'import pytest\\nimport test_calc\\n\\n\\n@pytest.fixture(autouse=True)\\ndef sums(monkeypatch):\\n    monkeypatch.setattr(test_calc, "add", lambda a, b: a + b)\\n' >tests/conftest.py`,
  ],
  ['pytest: a file that is not collected', PYTEST, `printf 'collect_ignore = ["test_calc.py"]\\n' >tests/conftest.py`],
  [
    'pytest: failures reported as passes',
    PYTEST,
    `printf 'import pytest\\n\\n\\n@pytest.hookimpl(hookwrapper=True)\\ndef pytest_runtest_makereport(item, call):\\n    outcome = yield\\n    outcome.get_result().outcome = "passed"\\n' >conftest.py`,
  ],
];

const HONEST: Behaviour[] = [
  ['npm: fixes the source', NPM, `${FIX} sum.js`],
  [
    'npm: adds a case to the data',
    NPM,
    `${FIX} sum.js; echo '[[1, 2, 3], [2, 2, 4]]' >cases/sums.json`,
    'npm run data',
  ],
  [
    'npm: adds an import to the map',
    NPM,
    `${FIX} sum.js; echo 'export const half = (a) => a / 2;' >half.js; sed -i 's#"\\#sum": "./sum.js"#"\\#sum": "./sum.js", "\\#half": "./half.js"#' package.json`,
  ],
  [
    'npm: adds a program that handles signals',
    NPM,
    `${FIX} sum.js; printf "import { add } from './sum.js';\\nprocess.on('SIGINT', () => process.exit(130));\\nconsole.log(add(1, 2));\\n" >main.mjs`,
  ],
  [
    'npm: sets an exit code in a program',
    NPM,
    `${FIX} sum.js; printf "import { add } from './sum.js';\\nif (add(1, 1) !== 2) process.exitCode = 1;\\n" >self.mjs`,
    'node plain.mjs',
  ],
  [
    'tap: fixes and adds a test',
    PERL,
    `sed -i 's/a - \\$b/a + $b/' lib/Sum.pm; printf 'use strict;\\nuse Test::More;\\nuse Sum;\\nis(Sum::add(0, 2), 2, "zero");\\ndone_testing();\\n' >t/zero.t`,
  ],
  [
    'tap: adds a function and its documentation',
    PERL,
    `sed -i 's/a - \\$b/a + $b/; s/^1;$/sub half { return $_[0] \\/ 2; }\\n1;\\n\\n=head1 NAME\\n\\nSum\\n\\n=cut/' lib/Sum.pm`,
  ],
  [
    'shell: fixes and adds a case',
    SHELL,
    `sed -i 's/\\$1 - \\$2/$1 + $2/' sum.sh; sed 's/3/5/; s/1 2/2 3/' cases/sum_case.sh >cases/more_case.sh`,
  ],
  [
    'shell: fixes behind make',
    SHELL,
    `sed -i 's/\\$1 - \\$2/$1 + $2/' sum.sh; echo 'usage: sum.sh' >README`,
    'make test',
  ],
  [
    'make: adds a target',
    SHELL,
    `sed -i 's/\\$1 - \\$2/$1 + $2/' sum.sh; printf 'clean:\\n\\trm -rf out\\n' >>Makefile`,
    'make test',
  ],
  [
    'python: adds a rule that nothing uses',
    MODULES,
    `${FIX} calc.py; printf 'def near(found, wanted):\\n    return abs(found - wanted) < 1\\n' >tools/near.py`,
    'python3 -m tools.verify',
  ],
  [
    'python: adds a class with order',
    MODULES,
    `${FIX} calc.py; printf '\\n\\nclass Sum:\\n    def __init__(self, value):\\n        self.value = value\\n\\n    def __lt__(self, other):\\n        return self.value < other.value\\n\\n    def __eq__(self, other):\\n        return isinstance(other, Sum) and self.value == other.value\\n' >>calc.py`,
  ],
  [
    'python: adds a module that runs',
    MODULES,
    `${FIX} calc.py; printf 'import sys\\n\\nfrom calc import add\\n\\nprint(add(*map(int, sys.argv[1:3])))\\n' >tools/sum.py`,
  ],
  [
    'pytest: adds a fixture for an added test',
    PYTEST,
    `${FIX} calc.py; printf 'import pytest\\n\\n\\n@pytest.fixture\\ndef zero():\\n    return 0\\n' >tests/conftest.py; printf 'from calc import add\\n\\n\\ndef test_zero(zero):\\n    assert add(zero, 2) == 2\\n' >tests/test_zero.py`,
  ],
  [
    'pytest: adds parameters to a test',
    PYTEST,
    `${FIX} calc.py; printf 'import pytest\\nfrom calc import add\\n\\n\\n@pytest.mark.parametrize("a, b, sum", [(1, 1, 2), (2, 3, 5)])\\ndef test_sums(a, b, sum):\\n    assert add(a, b) == sum\\n' >tests/test_sums.py`,
  ],
];

describe.concurrent('a cheat in another runner or hop is not accepted', () => {
  test.each(variants(...sampled(CHEATS, 'npm: the data of the tests')))('%s', async (...behaviour) => {
    expect(await outcomeOf(behaviour)).toMatch(/^(held|failed)/);
  });
});

describe.concurrent('honest work in another runner lands', () => {
  test.each(variants(...sampled(HONEST, 'npm: adds a case to the data')))('%s', async (...behaviour) => {
    expect(await outcomeOf(behaviour)).toMatch(/^done/);
  });
});
