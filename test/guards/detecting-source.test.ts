import { describe, expect, it } from 'vitest';
import { earlyExit } from '../../src/guards/weakened-source.ts';
import { held } from './guard-case.ts';

const added = (path: string, text: string) => earlyExit(path, { base: '', candidate: `${text}\n`, hasRunner: true });

describe('source that finds out whether a test runs it', () => {
  it.each([
    ['sum.js', 'export const add = (a, b) => (process.env.CI ? a + b : a - b);'],
    ['sum.js', 'const { HOME, CI } = process.env;'],
    ['sum.js', "const inTest = process.env['npm_lifecycle_event'] === 'test';"],
    ['sum.js', "const inTest = process.argv.some((word) => word.includes('.test.'));"],
    ['sum.js', "if (process.argv[1].endsWith('jest')) add = plus;"],
    ['sum.js', 'const watched = process.execArgv.length > 0;'],
    ['sum.js', 'const inTest = /test/.test(new Error().stack);'],
    ['sum.js', "const inTest = (new Error('x')).stack.includes('spec');"],
    ['calc.py', 'from sys import modules as loaded'],
    ['calc.py', 'known = any(name.startswith("unit") for name in sys.modules)'],
    ['calc.py', 'inside = "unittest" in sys.argv[0]'],
    ['calc.py', "TESTING = 'test' in sys.argv"],
    ['calc.py', 'stack = traceback.extract_stack()'],
    ['calc.py', 'quick = os.getenv("CI")'],
    ['calc.py', "quick = os.environ['CI']"],
    ['src/lib.rs', 'if std::thread::current().name() != Some("main") {}'],
    ['src/lib.rs', 'let inside = std::env::current_exe().map(|path| path.to_string_lossy().contains("deps"));'],
    ['src/lib.rs', 'let inside = std::env::var("CARGO_MANIFEST_DIR").is_ok();'],
    ['sum.c', 'return strstr(program_invocation_name, "test") ? a + b : a - b;'],
    ['sum.c', 'FILE *own = fopen("/proc/self/comm", "r");'],
    ['sum.go', 'if os.Getenv("CI") != "" {'],
    ['sum.rb', "return a + b if ENV['CI']"],
    ['sum.rb', 'INSIDE = $PROGRAM_NAME.include?("test")'],
    ['sum.php', "$quick = getenv('CI');"],
    ['sum.js', "import { existsSync } from 'node:fs';\nconst inTest = existsSync('test');"],
    ['sum.js', "const inTest = fs.statSync(new URL('../__tests__/', import.meta.url)).isDirectory();"],
    ['sum.js', "const trace = {};\nError.captureStackTrace(trace);\nconst inTest = trace.stack.includes('.test.');"],
    ['sum.js', 'const inTest = /test/.test(require.main.filename);'],
    ['sum.js', "const words = readFileSync('/proc/self/cmdline', 'utf8');"],
    ['calc.py', 'if os.path.isdir("tests"):'],
    ['calc.py', "QUICK = Path('x/tests/').exists()"],
    ['calc.py', 'INSIDE = any("pytest" in word for word in sys.argv)'],
    ['calc.py', 'import __main__'],
    ['sum.go', 'if strings.Contains(os.Args[0], "test") {'],
    ['sum.go', 'if strings.HasSuffix(file, "_test.go") {'],
    ['sum.rb', "return a + b if caller.any? { |line| line.include?('test') }"],
    ['sum.rb', "INSIDE = File.directory?('spec')"],
    ['sum.php', "$inside = strpos($_SERVER['argv'][0], 'phpunit') !== false;"],
    ['sum.php', "if (is_dir(__DIR__ . '/../tests/')) {"],
  ])('is found in %s: %s', (path, text) => {
    expect(added(path, text)).toBeDefined();
  });

  it.each([
    ['main.js', "if (process.argv[2] === 'test') run();"],
    ['main.js', 'const [, , command] = process.argv;'],
    ['main.js', 'const verbose = process.env.VERBOSE === "1";'],
    ['main.js', 'const city = { CI: "Abidjan" };'],
    ['log.js', 'log(error.stack);'],
    ['cli.py', 'from sys import argv, exit as leave'],
    ['cli.py', 'if sys.argv[1] == "test":'],
    ['cli.py', 'module = sys.modules.get(name)'],
    ['cli.py', 'home = os.environ["HOME"]'],
    ['src/lib.rs', 'let folder = std::env::current_exe()?.parent().map(Path::to_path_buf);'],
    ['src/lib.rs', 'let version = env!("CARGO_PKG_VERSION");'],
    ['main.js', "if (existsSync('dist')) build();"],
    ['main.js', 'const files = readdirSync(folder);'],
    ['log.js', "const [first] = error.stack.split('\\n');"],
    ['main.js', 'if (require.main === module) main();'],
    ['cli.py', 'if os.path.exists("latest"):'],
    ['cli.py', 'config = Path("contests.toml").exists()'],
    ['cli.go', 'name := os.Args[0]'],
    ['cli.rb', 'log(caller.first)'],
    ['view.cpp', 'void View::abort() {'],
    ['view.dart', 'void abort() {'],
  ])('is not mistaken for what only resembles it in %s: %s', (path, text) => {
    expect(added(path, text)).toBeUndefined();
  });
});

describe('source that changes what an assertion finds', () => {
  it.each([
    ['sum.js', "const found = createRequire(import.meta.url)('assert');\nReflect.set(found, 'equal', () => {});"],
    ['sum.js', "const found = process.getBuiltinModule('node:assert');\nfound.equal = () => {};"],
    ['sum.js', 'process.setUncaughtExceptionCaptureCallback(() => {});'],
    ['sum.js', 'export const add = () => ({ [Symbol.toPrimitive]: () => 3 });'],
    ['sum.js', 'export const add = (a, b) => ({ valueOf: () => 3 });'],
    ['calc.py', 'Sum = type("Sum", (int,), {"__eq__": lambda own, other: bool(own) or 1})'],
    ['sum.c', 'void __assert_fail(const char *a, const char *b, unsigned c, const char *d) {}'],
    ['sum.c', 'void abort(void) {}'],
  ])('is found in %s: %s', (path, text) => {
    expect(added(path, text)).toBeDefined();
  });

  it.each([
    ['money.js', 'class Money {\n  [Symbol.toPrimitive]() {\n    return this.cents;\n  }\n}'],
    ['money.js', 'class Money {\n  valueOf() {\n    return this.cents;\n  }\n}'],
    [
      'size.js',
      "import assert from 'node:assert';\nexport const size = (list) => { assert.ok(list); return list.length; };",
    ],
  ])('is not mistaken for what only resembles it in %s: %s', (path, text) => {
    expect(added(path, text)).toBeUndefined();
  });
});

describe('compiled files', () => {
  const header = (flags: number) => `\ufffd\r\r\n${String.fromCharCode(flags, 0, 0, 0)}code`;
  const run = 'python3 -m unittest';

  it.each([
    ['tests/__pycache__/test_calc.cpython-311.pyc', header(1)],
    ['difflib.pyc', header(0)],
    ['calc.cpython-311-x86_64-linux-gnu.so', 'ELF'],
    ['build/Release/sum.node', 'ELF'],
  ])('are held where they are loaded in place of a source that can be read: %s', async (path, text) => {
    expect(await held({ candidate: { [path]: text }, run })).toEqual([path]);
  });

  it.each([
    ['__pycache__/calc.cpython-311.pyc', header(0)],
    ['__pycache__/calc.cpython-311.pyc', header(3)],
  ])('are free where Python compares them with their source: %s', async (path, text) => {
    expect(await held({ candidate: { [path]: text }, run })).toEqual([]);
  });

  it('of an installed package are held where it offers plug-ins to a runner, and free where it offers programs', async () => {
    const offers = (group: string) => ({ 'order.egg-info/entry_points.txt': `[${group}]\norder = orderly:main\n` });
    expect(await held({ candidate: offers('pytest11'), run: 'pytest' })).toEqual(['order.egg-info/entry_points.txt']);
    expect(await held({ candidate: offers('console_scripts'), run: 'pytest' })).toEqual([]);
  });
});
