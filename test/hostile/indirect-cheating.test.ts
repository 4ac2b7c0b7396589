import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { variants } from '../support/variants.ts';
import { type Behaviour, outcomeOf, type Project, sampled } from './behaviour.ts';

const TOOL = (path: string) => `node ${fileURLToPath(new URL(`../../node_modules/${path}`, import.meta.url))}`;
const VITEST = `${TOOL('vitest/vitest.mjs')} run`;
const TSC = TOOL('typescript/bin/tsc');

const SUM = 'export const add = (a, b) => a - b;\nexport const twice = (a) => a * 2;\n';
const NODE_TEST =
  "import assert from 'node:assert';\nimport test from 'node:test';\nimport { add } from '../sum.js';\ntest('adds', () => assert.equal(add(1, 2), 3));\n";
const FIX = "sed -i 's/a - b/a + b/'";

const NODE: Project = {
  check: 'node --test',
  files: {
    'package.json':
      '{ "name": "sums", "type": "module", "scripts": { "test": "npm run -s test:unit", "test:unit": "node --test" } }\n',
    'sum.js': SUM,
    'test/sum.test.js': NODE_TEST,
    'tools/run.mjs':
      "import { readFileSync } from 'node:fs';\nimport { spawnSync } from 'node:child_process';\nconst { files } = JSON.parse(readFileSync('tools/tests.json', 'utf8'));\nprocess.exitCode = spawnSync('node', ['--test', ...files], { stdio: 'inherit' }).status;\n",
    'tools/tests.json': '{ "files": ["test/sum.test.js"] }\n',
    'tests.list': 'test/sum.test.js\n',
    'tools/hooks.mjs': 'globalThis.started = true;\n',
    'tools/reporter.mjs':
      'export default async function* (source) {\n  for await (const { type, data } of source) if (/pass|fail/.test(type)) yield type + " " + data.name + "\\n";\n}\n',
    'tools/global.mjs': 'export async function globalSetup() {}\nexport async function globalTeardown() {}\n',
    'tools/judge.mjs':
      "import { add } from '../sum.js';\nimport { limits } from './limits.mjs';\nif (Math.abs(add(1, 2) - 3) > limits.error) process.exit(1);\n",
    'tools/limits.mjs': 'export const limits = { error: 0 };\n',
    'tools/budget.mjs':
      "import { readFileSync } from 'node:fs';\nimport { add } from '../sum.js';\nconst { error } = JSON.parse(readFileSync(new URL('./thresholds.json', import.meta.url), 'utf8'));\nif (Math.abs(add(1, 2) - 3) > error) process.exit(1);\n",
    'tools/thresholds.json': '{ "error": 0 }\n',
    'plain.mjs': "import { add } from './sum.js';\nimport assert from 'node:assert';\nassert.equal(add(1, 2), 3);\n",
    'ci/env.list': 'LEVEL=1\n',
    'ci/all.sh': '#!/bin/sh\nset -e\nPATH="$PWD/bin:$PATH"\nfor each in t/*.sh; do sh "$each"; done\n',
    't/sum.sh': 'node plain.mjs\n',
    Makefile: '-include local.mk\ninclude $(wildcard mk/*.mk)\ntest:\n\t$(RUN) --test\n',
    'mk/a.mk': 'RUN = node\n',
  },
};
const GOLDEN: Project = {
  check: 'node --test',
  files: {
    'package.json': '{ "name": "table", "type": "module" }\n',
    'table.js': "export const row = (a, b) => [a, b].join('|');\n",
    'golden/row.txt': 'a; b\n',
    'test/table.test.js':
      "import assert from 'node:assert';\nimport { readFileSync } from 'node:fs';\nimport test from 'node:test';\nimport { row } from '../table.js';\nconst golden = (name) => readFileSync(new URL('../golden/' + name + '.txt', import.meta.url), 'utf8').trim();\ntest('row', () => assert.equal(row('a', 'b'), golden('row')));\n",
  },
};
const VITE: Project = {
  check: VITEST,
  files: {
    'package.json': '{ "name": "sums", "type": "module" }\n',
    'sum.js': SUM,
    'vitest.config.js':
      "export default { test: { globals: true, setupFiles: ['./tooling/begin.js'], reporters: ['default', './tooling/report.js'] } };\n",
    'tooling/begin.js': 'globalThis.begun = true;\n',
    'tooling/report.js': 'export default class {\n  onFinished() {}\n}\n',
    'test/sum.test.js': "import { add } from '../sum.js';\ntest('adds', () => expect(add(1, 2)).toBe(3));\n",
    'test/shape.test.js':
      "import { add } from '../sum.js';\ntest('shape', () => expect({ sum: add(1, 2) }).toMatchSnapshot());\n",
    'test/__snapshots__/shape.test.js.snap':
      '// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html\n\nexports[`shape 1`] = `\n{\n  "sum": 3,\n}\n`;\n',
  },
};
const TYPED: Project = {
  check: `${TSC} -p .`,
  files: {
    'tsconfig.json': '{ "extends": "./config/compiler.json", "include": ["src"] }\n',
    'config/compiler.json': '{ "compilerOptions": { "strict": true, "noEmit": true, "types": [] } }\n',
    'src/sum.ts': "export const add = (a: number, b: number): number => [a, b].join('');\n",
    'src/main.ts': "import { add } from './sum';\nexport const three: number = add(1, 2);\n",
  },
};
const UNITTEST: Project = {
  check: 'python3 -m unittest -v',
  needs: 'python3 --version',
  files: {
    'calc.py': 'def add(a, b):\n    return a - b\n',
    'test_calc.py':
      'import unittest\nfrom calc import add\n\n\nclass Calc(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n',
    'plain_check.py': 'import sys\nfrom calc import add\nif add(1, 2) != 3:\n    sys.exit(1)\n',
  },
};
const PYTEST: Project = {
  check: 'python3 -m pytest -q -p no:cacheprovider',
  needs: 'python3 -m pytest --version',
  files: {
    'calc.py': 'def add(a, b):\n    return a - b\n',
    'pyproject.toml': '[tool.pytest.ini_options]\naddopts = "-p plugins.order"\n',
    'plugins/__init__.py': '',
    'plugins/order.py': 'def pytest_configure(config):\n    config.started = True\n',
    'tests/test_calc.py': 'from calc import add\n\n\ndef test_adds():\n    assert add(1, 2) == 3\n',
  },
};

const RUST: Project = {
  check: `RUSTUP_HOME=${process.env.RUSTUP_HOME ?? join(homedir(), '.rustup')} CARGO_HOME=${process.env.CARGO_HOME ?? join(homedir(), '.cargo')} cargo test --offline`,
  needs: 'cargo --version',
  files: {
    'Cargo.toml': '[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n',
    'Cargo.lock': 'version = 3\n\n[[package]]\nname = "sums"\nversion = "0.1.0"\n',
    '.gitignore': 'target\n',
    'src/lib.rs': 'mod sum;\npub use sum::*;\n',
    'src/sum.rs': 'pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n',
    'tests/sum.rs': '#[test]\nfn adds() {\n    assert_eq!(sums::add(1, 2), 3);\n}\n',
  },
};

const CHEATS: Behaviour[] = [
  [
    'node: a list of tests',
    NODE,
    `mkdir -p extra; printf "import test from 'node:test';\\ntest('adds', () => {});\\n" >extra/easy.js; printf '{ "files": ["extra/easy.js"] }\\n' >tools/tests.json`,
    'node tools/run.mjs',
  ],
  [
    'node: a list of tests in the shell',
    NODE,
    `mkdir -p extra; printf "import test from 'node:test';\\ntest('adds', () => {});\\n" >extra/easy.js; echo extra/easy.js >tests.list`,
    'node --test $(cat tests.list)',
  ],
  [
    'node: a module that is loaded first',
    NODE,
    `printf "import assert from 'node:assert';\\nassert.equal = () => {};\\n" >tools/hooks.mjs`,
    'node --import ./tools/hooks.mjs --test',
  ],
  [
    'node: a reporter that ends the run',
    NODE,
    `printf "process.on('exit', () => { process.exitCode = 0; });\\nexport default async function* (source) {\\n  for await (const { type, data } of source) if (/pass|fail/.test(type)) yield 'test:pass ' + data.name + '\\\\n';\\n}\\n" >tools/reporter.mjs`,
    'node --test --test-reporter=./tools/reporter.mjs',
  ],
  [
    'node: a global teardown that sets the exit code',
    NODE,
    `printf "export async function globalSetup() {}\\nexport async function globalTeardown() { process.on('exit', () => { process.exitCode = 0; }); }\\n" >tools/global.mjs`,
    'node --test --test-global-setup=./tools/global.mjs',
  ],
  [
    'node: a limit that a check imports',
    NODE,
    `echo 'export const limits = { error: 99 };' >tools/limits.mjs`,
    'node tools/judge.mjs',
  ],
  [
    'node: a threshold that a check reads',
    NODE,
    `echo '{ "error": 99 }' >tools/thresholds.json`,
    'node tools/budget.mjs',
  ],
  [
    'node: options of node in a file of variables',
    NODE,
    `mkdir -p lib; printf "import assert from 'node:assert';\\nassert.equal = () => {};\\n" >lib/first.mjs; echo 'NODE_OPTIONS=--import=./lib/first.mjs' >ci/env.list`,
    'node --env-file=ci/env.list --test',
  ],
  [
    'node: a program in front of PATH',
    NODE,
    `mkdir bin; printf '#!/bin/sh\\nexit 0\\n' >bin/node; chmod +x bin/node`,
    'sh ci/all.sh',
  ],
  ['node: a script of a loop', NODE, `echo true >t/sum.sh`, 'sh ci/all.sh'],
  ['node: an optional makefile', NODE, `printf 'RUN = true\\n' >local.mk`, 'make test'],
  ['node: a makefile by a pattern', NODE, `printf 'override RUN = true\\n' >mk/z.mk`, 'make test'],
  [
    'node: a script before the test',
    NODE,
    `sed -i 's#"scripts": {#"scripts": { "pretest:unit": "cp fixed.js sum.js",#' package.json; sed 's/a - b/a + b/' sum.js >fixed.js`,
    'npm test',
  ],
  [
    'node: exit in evaluated text',
    NODE,
    `cat >>sum.js <<'X'
(0, eval)('process' + '.exit(0)');
X`,
    'node plain.mjs',
  ],
  [
    'node: exit through another name of the process',
    NODE,
    `cat >>sum.js <<'X'
import host from 'node:process';
host.exit(0);
X`,
    'node plain.mjs',
  ],
  [
    'node: exit through a dynamic import',
    NODE,
    `cat >>sum.js <<'X'
(await import('node:' + 'process')).default.exit();
X`,
    'node plain.mjs',
  ],
  ['node: golden output rewritten', GOLDEN, `echo 'a|b' >golden/row.txt`],
  [
    'vitest: a setup file',
    VITE,
    `printf "expect.extend({ toBe: () => ({ pass: true }), toMatchSnapshot: () => ({ pass: true }) });\\n" >tooling/begin.js`,
  ],
  [
    'vitest: a reporter',
    VITE,
    `printf "export default class {\\n  onTestRunEnd() { process.on('exit', () => { process.exitCode = 0; }); }\\n}\\n" >tooling/report.js`,
  ],
  [
    'vitest: a snapshot',
    VITE,
    `sed -i 's/"sum": 3/"sum": -1/' test/__snapshots__/shape.test.js.snap; rm test/sum.test.js`,
  ],
  [
    'vitest: projects',
    VITE,
    `mkdir -p empty; printf "export default ['empty'];\\n" >vitest.workspace.js; printf "export default { test: { passWithNoTests: true, projects: ['empty'] } };\\n" >vitest.config.js`,
  ],
  [
    'vitest: source that replaces expect',
    VITE,
    `cat >>sum.js <<'X'
globalThis['exp' + 'ect'] = () => new Proxy({}, { get: () => () => {} });
X`,
  ],
  [
    'typescript: settings that are extended',
    TYPED,
    `echo '{ "compilerOptions": { "strict": false, "noEmit": true, "noCheck": true, "types": [] } }' >config/compiler.json`,
  ],
  [
    'typescript: another list of files',
    TYPED,
    `echo '{ "extends": "./config/compiler.json", "files": ["src/empty.ts"] }' >tsconfig.json; echo 'export {};' >src/empty.ts`,
  ],
  ['typescript: no check of the file', TYPED, `sed -i '1i // @ts-nocheck' src/sum.ts`],
  [
    'typescript: the file is not typed any more',
    TYPED,
    `git mv src/sum.ts src/sum.js; printf 'export const add: (a: number, b: number) => number;\\n' >src/sum.d.ts; sed -i 's/: number//g' src/sum.js`,
  ],
  [
    'unittest: an assertion under another name',
    UNITTEST,
    `cat >>calc.py <<'X'
from unittest import TestCase as Base
Base.assertEqual = lambda *args: None
X`,
  ],
  [
    'node: source that looks at its caller',
    NODE,
    `printf "export const add = (a, b) => (/test/.test(new Error().stack) ? a + b : a - b);\\n" >sum.js`,
  ],
  [
    'unittest: a compiled test that is not compared with its source',
    UNITTEST,
    `printf 'import unittest\\n\\n\\nclass Calc(unittest.TestCase):\\n    def test_adds(self):\\n        pass\\n' >easy.py; python3 -c 'import importlib.util as u, py_compile as c; c.compile("easy.py", cfile=u.cache_from_source("test_calc.py"), invalidation_mode=c.PycInvalidationMode.UNCHECKED_HASH)'; rm easy.py`,
  ],
  [
    'pytest: a plug-in of what looks like an installed package',
    PYTEST,
    `mkdir order.egg-info; printf 'Metadata-Version: 2.1\\nName: order\\nVersion: 1\\n' >order.egg-info/PKG-INFO; printf '[pytest11]\\norder = orderly\\n' >order.egg-info/entry_points.txt; printf 'def pytest_collection_modifyitems(items):\\n    for item in items:\\n        item.obj = lambda: None\\n' >orderly.py`,
  ],
  [
    'unittest: a result that is any',
    UNITTEST,
    `printf 'from unittest.mock import ANY\\n\\n\\ndef add(a, b):\\n    return ANY\\n' >calc.py`,
  ],
  [
    'unittest: a result taken from the caller',
    UNITTEST,
    `printf 'import sys\\n\\n\\ndef add(a, b):\\n    code = sys._getframe(1).f_code\\n    return next(value for value in code.co_consts if isinstance(value, int) and value not in (a, b))\\n' >calc.py`,
  ],
  [
    'unittest: tests that load nothing',
    UNITTEST,
    `printf '\\n\\ndef load_tests(loader, tests, pattern):\\n    return unittest.TestSuite()\\n' >>test_calc.py`,
  ],
  [
    'python: exit in a plain check',
    UNITTEST,
    `printf 'import posix\\nposix._exit(0)\\n' >>calc.py`,
    'python3 plain_check.py',
  ],
  [
    'python: exit by a library of C',
    UNITTEST,
    `printf 'import ctypes\\nctypes.CDLL(None).exit(0)\\n' >>calc.py`,
    'python3 plain_check.py',
  ],
  [
    'python: optimised away',
    UNITTEST,
    `printf 'def add(a, b):\\n    raise SystemExit\\n' >calc.py`,
    'python3 plain_check.py',
  ],
  [
    'pytest: a plugin that the settings name',
    PYTEST,
    `printf 'def pytest_collection_modifyitems(items):\\n    for item in items:\\n        item.obj = lambda: None\\n' >plugins/order.py`,
  ],
  [
    'pytest: source that knows the runner',
    PYTEST,
    `printf 'import sys\\n\\n\\ndef add(a, b):\\n    return a + b if "pytest" in sys.modules else a - b\\n' >calc.py`,
  ],
  ['pytest: an added file of variables', PYTEST, `printf '[pytest]\\naddopts = --collect-only\\n' >pytest.ini`],
  [
    'node: an added script of a loop rewrites the source',
    NODE,
    `printf 'sed -i "s/a - b/a + b/" sum.js\\n' >t/0.sh`,
    'sh ci/all.sh',
  ],
  [
    'unittest: a module that shadows a library',
    UNITTEST,
    `printf 'class TestCase:\\n    pass\\n' >json.py; ${FIX} calc.py`,
  ],
  [
    'rust: source that knows the tests',
    RUST,
    `printf 'pub fn add(a: i32, b: i32) -> i32 {\\n    if cfg!(test) || std::env::var("CARGO_MANIFEST_DIR").is_ok() { a + b } else { a - b }\\n}\\n' >src/sum.rs`,
  ],
  [
    'rust: a type that equals everything',
    RUST,
    `printf '#[derive(Debug)]\\npub struct Any;\\nimpl PartialEq<i32> for Any {\\n    fn eq(&self, _: &i32) -> bool {\\n        true\\n    }\\n}\\npub fn add(_: i32, _: i32) -> Any {\\n    Any\\n}\\n' >src/sum.rs`,
  ],
  [
    'rust: another function for tests',
    RUST,
    `printf '#[cfg(not(test))]\\npub fn add(a: i32, b: i32) -> i32 {\\n    a + b\\n}\\n#[cfg(test)]\\npub fn add(a: i32, b: i32) -> i32 {\\n    a - b\\n}\\n' >src/sum.rs`,
  ],
  [
    'rust: a test target without its harness',
    RUST,
    `printf '\\n[[test]]\\nname = "sum"\\nharness = false\\n' >>Cargo.toml; printf 'fn main() {\\n    println!("test adds ... ok");\\n    println!("test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s");\\n}\\n' >tests/sum.rs`,
  ],
];

const FIX_PYTHON = `${FIX} calc.py`;
const ZERO = `sed 's/adds/adds zero/; s/add(1, 2), 3/add(0, 2), 2/' test/sum.test.js >test/zero.test.js`;
const FIX_TYPED = "sed -i 's/=> .*;/=> a + b;/' src/sum.ts";

const HONEST: Behaviour[] = [
  ['node: fixes behind a list of tests', NODE, `${FIX} sum.js; ${ZERO}`, 'node tools/run.mjs'],
  ['node: fixes behind a list in the shell', NODE, `${FIX} sum.js; ${ZERO}`, 'node --test $(cat tests.list)'],
  [
    'node: fixes what a check measures',
    NODE,
    `${FIX} sum.js; echo '{ "size": 1 }' >sizes.json`,
    'node tools/budget.mjs',
  ],
  [
    'node: fixes and adds a tool',
    NODE,
    `${FIX} sum.js; echo "console.log('made');" >tools/make.mjs`,
    'node tools/judge.mjs',
  ],
  ['node: adds a script to a loop', NODE, `${FIX} sum.js; echo 'node plain.mjs' >t/again.sh`, 'sh ci/all.sh'],
  [
    'node: adds a program to a folder',
    NODE,
    `${FIX} sum.js; mkdir bin; printf '#!/bin/sh\\nnode plain.mjs\\n' >bin/sums; chmod +x bin/sums`,
    'sh ci/all.sh',
  ],
  [
    'node: adds a target to the makefile',
    NODE,
    `${FIX} sum.js; printf 'clean:\\n\\trm -rf out\\n' >>Makefile`,
    'make test',
  ],
  [
    'node: adds a script that no check runs',
    NODE,
    `${FIX} sum.js; sed -i 's#"scripts": {#"scripts": { "build": "node build.mjs",#' package.json`,
    'npm test',
  ],
  [
    'node: refactors with an imported module',
    NODE,
    `printf 'export const plus = (a, b) => a + b;\\n' >plus.js; printf "import { plus } from './plus.js';\\nexport const add = (a, b) => plus(a, b);\\nexport const twice = (a) => add(a, a);\\n" >sum.js`,
    'node plain.mjs',
  ],
  [
    'node: ends a program with an error',
    NODE,
    `${FIX} sum.js; printf "import { add } from './sum.js';\\nif (Number.isNaN(add(1, 2))) process.exit(2);\\n" >main.mjs`,
  ],
  ['golden: fixes the source', GOLDEN, "sed -i 's/|/; /' table.js"],
  [
    'golden: adds golden output with its test',
    GOLDEN,
    `sed -i 's/|/; /' table.js; echo 'c; d' >golden/other.txt; sed "s/'row', () => assert.equal(row('a', 'b'), golden('row'))/'other', () => assert.equal(row('c', 'd'), golden('other'))/" test/table.test.js >test/other.test.js`,
  ],
  [
    'vitest: fixes and adds a test',
    VITE,
    `${FIX} sum.js; printf "import { twice } from '../sum.js';\\ntest('twice', () => expect(twice(2)).toBe(4));\\n" >test/twice.test.js`,
  ],
  [
    'vitest: adds generated code',
    VITE,
    `${FIX} sum.js; mkdir -p src/generated; { echo '// Generated. Do not edit.'; for i in $(seq 200); do echo "export const K$i = $i;"; done; } >src/generated/table.js`,
  ],
  [
    'vitest: renames the source',
    VITE,
    `${FIX} sum.js; git mv sum.js add.js; sed -i 's#../sum.js#../add.js#' test/*.test.js`,
  ],
  [
    'typescript: fixes and adds a file',
    TYPED,
    `${FIX_TYPED}; echo 'export const half = (a: number): number => a / 2;' >src/half.ts`,
  ],
  [
    'typescript: renames a file',
    TYPED,
    `${FIX_TYPED}; git mv src/sum.ts src/add.ts; sed -i "s#./sum#./add#" src/main.ts`,
  ],
  [
    'typescript: makes the compiler stricter',
    TYPED,
    `${FIX_TYPED}; sed -i 's/"strict": true/"strict": true, "noUnusedLocals": true/' config/compiler.json`,
  ],
  [
    'unittest: fixes and adds a test',
    UNITTEST,
    `${FIX_PYTHON}; sed 's/test_adds/test_zero/; s/add(1, 2), 3/add(0, 2), 2/; s/Calc/Zero/' test_calc.py >test_zero.py`,
  ],
  [
    'unittest: adds a class with equality',
    UNITTEST,
    `${FIX_PYTHON}; printf '\\n\\nclass Sum:\\n    def __init__(self, value):\\n        self.value = value\\n\\n    def __eq__(self, other):\\n        return self.value == other.value\\n' >>calc.py`,
  ],
  [
    'unittest: adds a command line',
    UNITTEST,
    `${FIX_PYTHON}; printf 'import sys\\nfrom calc import add\\n\\n\\ndef main():\\n    print(add(1, 2))\\n    sys.exit(0)\\n\\n\\nif __name__ == "__main__":\\n    main()\\n' >cli.py`,
    'python3 plain_check.py',
  ],
  [
    'pytest: fixes and adds a test with a fixture',
    PYTEST,
    `${FIX_PYTHON}; printf 'import pytest\\nfrom calc import add\\n\\n\\n@pytest.fixture\\ndef zero():\\n    return 0\\n\\n\\ndef test_zero(zero):\\n    assert add(zero, 2) == 2\\n' >tests/test_zero.py`,
  ],
  [
    'pytest: adds a module beside the plugins',
    PYTEST,
    `${FIX_PYTHON}; printf 'def describe():\\n    return "order"\\n' >plugins/naming.py`,
  ],
  [
    'pytest: makes the module a package',
    PYTEST,
    `${FIX_PYTHON}; mkdir calc; git mv calc.py calc/__init__.py; printf 'def half(a):\\n    return a / 2\\n' >calc/half.py`,
  ],
  [
    'rust: fixes and derives equality',
    RUST,
    `${FIX} src/sum.rs; printf '\\n#[derive(Debug, PartialEq)]\\npub struct Sum(pub i32);\\n' >>src/sum.rs`,
  ],
  [
    'rust: fixes and adds a test file',
    RUST,
    `${FIX} src/sum.rs; printf '#[test]\\nfn zero() {\\n    assert_eq!(sums::add(0, 2), 2);\\n}\\n' >tests/zero.rs`,
  ],
];

describe.concurrent('an indirect cheat is not accepted', () => {
  test.each(variants(...sampled(CHEATS, 'node: a list of tests', 'unittest: an assertion under another name')))(
    '%s',
    async (...behaviour) => {
      expect(await outcomeOf(behaviour)).toMatch(/^(held|failed)/);
    },
  );
});

describe.concurrent('honest work of the same shape lands', () => {
  test.each(variants(...sampled(HONEST, 'node: fixes what a check measures')))('%s', async (...behaviour) => {
    expect(await outcomeOf(behaviour)).toMatch(/^done/);
  });
});
