import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readLongResults, readTestResults } from '../../../src/gates/test-results/read-test-results.ts';

const output = (name: string) => readFileSync(new URL(`outputs/${name}`, import.meta.url), 'utf8');
const counts = ({ ran, passed, failed, skipped }: { ran: number; passed: number; failed: number; skipped: number }) => [
  ran,
  passed,
  failed,
  skipped,
];

/** Real outputs of the same tests: file, runner, [ran, passed, failed, skipped], whether every test is named, failures. */
const REAL: [string, string, number[], boolean, string[]?][] = [
  ['node-spec.txt', 'node:test', [3, 3, 0, 2], true],
  ['node-color.txt', 'node:test', [3, 3, 0, 2], true],
  ['node-spec-red.txt', 'node:test', [3, 2, 1, 2], true, ['group > fails sometimes']],
  ['node-tap.txt', 'TAP', [3, 3, 0, 2], true],
  ['node-tap-red.txt', 'TAP', [3, 2, 1, 2], true, ['group > fails sometimes']],
  ['node-junit-red.xml', 'JUnit XML', [3, 2, 1, 2], true, ['group > fails sometimes']],
  ['vitest.txt', 'vitest', [3, 3, 0, 1], false],
  ['vitest-red.txt', 'vitest', [3, 2, 1, 1], false, ['a.test.js > group > fails sometimes']],
  ['vitest-verbose.txt', 'vitest', [3, 3, 0, 1], true],
  ['vitest-tap-red.txt', 'TAP', [3, 2, 1, 1], true, ['a.test.js > group > fails sometimes']],
  ['jest.txt', 'jest', [3, 3, 0, 1], true],
  ['jest-red.txt', 'jest', [3, 2, 1, 1], true, ['./a.test.js > group > fails sometimes']],
  ['mocha.txt', 'mocha', [3, 3, 0, 1], true],
  ['mocha-red.txt', 'mocha', [3, 2, 1, 1], true, ['group > fails sometimes']],
  ['pytest.txt', 'pytest', [2, 2, 0, 2], false],
  ['pytest-red.txt', 'pytest', [2, 1, 1, 2], false, ['test_a.py::A::test_sometimes']],
  ['pytest-q.txt', 'pytest', [2, 2, 0, 2], false],
  ['pytest-q-red.txt', 'pytest', [2, 1, 1, 2], false, ['test_a.py::A::test_sometimes']],
  ['pytest-v.txt', 'pytest', [2, 2, 0, 2], true],
  ['pytest-color.txt', 'pytest', [2, 2, 0, 2], true],
  ['pytest-v-red.txt', 'pytest', [2, 1, 1, 2], true, ['test_a.py::A::test_sometimes']],
  ['pytest-red.xml', 'JUnit XML', [2, 1, 1, 2], true, ['test_a.A > test_sometimes']],
  ['unittest.txt', 'unittest', [2, 2, 0, 2], false],
  ['unittest-red.txt', 'unittest', [2, 1, 1, 2], false, ['test_a.A > test_sometimes']],
  ['unittest-v.txt', 'unittest', [2, 2, 0, 2], true],
  ['go.txt', 'go test', [1, 1, 0, 0], true],
  ['go-red.txt', 'go test', [2, 0, 2, 0], true, ['example.com/a > TestGroup', 'example.com/a > TestGroup/sometimes']],
  ['go-v.txt', 'go test', [4, 4, 0, 1], true],
  ['go-json.txt', 'go test', [4, 4, 0, 1], true],
  [
    'go-json-red.txt',
    'go test',
    [4, 2, 2, 1],
    true,
    ['example.com/a > TestGroup/sometimes', 'example.com/a > TestGroup'],
  ],
  ['cargo.txt', 'cargo test', [5, 5, 0, 1], true],
  ['cargo-red.txt', 'cargo test', [3, 2, 1, 1], true, ['src/lib.rs > tests::sometimes']],
  ['cargo-q.txt', 'cargo test', [5, 5, 0, 1], false],
  ['cargo-q-red.txt', 'cargo test', [3, 2, 1, 1], false, ['tests::sometimes']],
  ['ctest.txt', 'ctest', [2, 2, 0, 0], true],
  ['minitest-red.txt', 'minitest', [2, 1, 1, 1], false, ['SumTest#test_fails']],
  ['minitest-v-red.txt', 'minitest', [2, 1, 1, 1], true, ['SumTest#test_fails']],
  ['ctest-red.txt', 'ctest', [2, 1, 1, 0], true, ['sometimes']],
];

/** Outputs as the documentation of the runners shows them. */
const DOCUMENTED: [string, string, number[]][] = [
  ['OK (3 tests, 5 assertions)', 'PHPUnit', [3, 3, 0, 0]],
  [
    '1) AddTest::testAdds\nFAILURES!\nTests: 4, Assertions: 4, Failures: 1, Errors: 1, Skipped: 1.',
    'PHPUnit',
    [3, 1, 2, 1],
  ],
  ['Finished in 0.01 seconds\n4 examples, 1 failure, 1 pending', 'RSpec', [3, 2, 1, 1]],
  ['0 examples, 0 failures, 1 error occurred outside of examples', 'RSpec', [1, 0, 1, 0]],
  [
    'Failed!  - Failed:     1, Passed:     2, Skipped:     1, Total:     4, Duration: 12 ms - a.dll (net8.0)',
    'dotnet test',
    [3, 2, 1, 1],
  ],
  ['Total tests: 4\n     Passed: 2\n     Failed: 1\n    Skipped: 1', 'dotnet test', [3, 2, 1, 1]],
  [
    '        PASS [   0.004s] a tests::adds\n        FAIL [   0.004s] a tests::sometimes\n────────────\n     Summary [   0.005s] 2 tests run: 1 passed, 1 failed, 1 skipped',
    'nextest',
    [2, 1, 1, 1],
  ],
  [
    'SumTest#test_adds = 0.00 s = .\n\n  1) Failure:\nSumTest#test_fails [test/sum_test.rb:9]:\nExpected: 3\n\n3 runs, 3 assertions, 1 failures, 0 errors, 1 skips',
    'minitest',
    [2, 1, 1, 1],
  ],
  [
    '3 tests, 3 assertions, 1 failures, 0 errors, 0 pendings, 1 omissions, 0 notifications\n33.3% passed',
    'minitest',
    [2, 1, 1, 1],
  ],
  [
    '  1) test adds (SumTest)\n     test/sum_test.exs:4\nFinished in 0.03 seconds (0.00s async, 0.03s sync)\n1 doctest, 3 tests, 1 failure, 1 excluded, 1 skipped',
    'ExUnit',
    [2, 1, 1, 2],
  ],
  ['●●◌\n2 successes / 1 failure / 0 errors / 1 pending : 0.002 seconds', 'busted', [3, 2, 1, 1]],
  ['  Tests:    1 failed, 1 skipped, 2 passed (4 assertions)\n  Duration: 0.08s', 'Pest', [3, 2, 1, 1]],
  [
    'bun test v1.1.0\n\nsum.test.ts:\n(pass) adds [0.12ms]\n(fail) fails [0.2ms]\n(skip) later\n\n 1 pass\n 1 skip\n 1 fail\n 2 expect() calls\nRan 3 tests across 1 file. [12.00ms]',
    'bun test',
    [2, 1, 1, 1],
  ],
  [
    'running 3 tests from ./sum_test.ts\nadds ... ok (1ms)\nfails ... FAILED (2ms)\nlater ... ignored (0ms)\n\nFAILED | 1 passed (2 steps) | 1 failed | 1 ignored (5ms)',
    'deno test',
    [2, 1, 1, 1],
  ],
  [
    '[ERROR] Tests run: 4, Failures: 1, Errors: 1, Skipped: 1, Time elapsed: 0.1 s <<< FAILURE! -- in SumTest\n[ERROR]   SumTest.adds:9 expected 3\n[ERROR] Tests run: 4, Failures: 1, Errors: 1, Skipped: 1',
    'Maven',
    [3, 1, 2, 1],
  ],
];

describe('the results of tests', () => {
  it.each(REAL)('are read from the real output %s', (file, runner, expected, isNamed, failures = []) => {
    const { results } = readTestResults(output(file));
    expect(counts(results)).toEqual(expected);
    expect(results.runners).toMatchObject([{ runner, named: isNamed }]);
    expect(results.failures).toEqual(failures);
  });

  it.each(DOCUMENTED)('are read from the format of a summary: %s', (text, runner, expected) => {
    const { results } = readTestResults(text);
    expect(counts(results)).toEqual(expected);
    expect(results.runners).toMatchObject([{ runner }]);
  });

  it('are named with their groups and with their status', () => {
    expect(readTestResults(output('node-spec.txt')).tests['node:test']).toEqual([
      { name: 'adds', status: 'passed' },
      { name: 'skipped one', status: 'skipped' },
      { name: 'todo one', status: 'skipped' },
      { name: 'group > inner', status: 'passed' },
      { name: 'group > fails sometimes', status: 'passed' },
    ]);
    expect(readTestResults(output('cargo.txt')).tests['cargo test']?.map(({ name }) => name)).toEqual([
      'src/lib.rs > tests::adds',
      'src/lib.rs > tests::slow',
      'src/lib.rs > tests::sometimes',
      'src/lib.rs > tests::panics',
      'tests/i.rs > integration',
      'Doc-tests a > src/lib.rs - add',
    ]);
  });

  it('are added up over several runners in one check, with other output between them', () => {
    const noise = 'compiling\nℹ note\n- item\n';
    const { results } = readTestResults(
      [output('node-spec.txt'), noise, output('node-spec-red.txt'), output('pytest-q.txt'), noise].join('\n'),
    );
    expect(counts(results)).toEqual([8, 7, 1, 6]);
    expect(results.runners.map(({ runner, reports }) => [runner, reports])).toEqual([
      ['node:test', 2],
      ['pytest', 1],
    ]);
  });

  it('report a failure whatever else is printed before or after it', () => {
    const forged = 'ℹ tests 9\nℹ suites 0\nℹ pass 9\nℹ fail 0\n✔ adds (1ms)\n';
    const { results } = readTestResults(`${forged}${output('node-spec-red.txt')}\n${forged}`);
    expect(results.failed).toBe(1);
    expect(results.runners[0]?.reports).toBe(3);
  });

  it('fail where a runner announced tests and ended without their result', () => {
    expect(readTestResults('running 3 tests\ntest tests::adds ... ok\n').results.failed).toBe(2);
    expect(readTestResults('TAP version 13\n1..3\nok 1 - adds\n').results.failed).toBe(2);
    expect(readTestResults(' Test Files  1 failed (1)\n      Tests  no tests\n').results.failed).toBe(1);
    expect(readTestResults('FAIL\texample.com/a [build failed]\nFAIL\n').results.failed).toBe(1);
  });

  it('come from a report file where the output has none, and a failure in one counts always', () => {
    const red = output('pytest-red.xml');
    const fromFile = readTestResults('done\n', [red]).results;
    expect([counts(fromFile), fromFile.runners[0]?.runner]).toEqual([[2, 1, 1, 2], 'JUnit XML']);
    const both = readTestResults(output('pytest-q.txt'), [red]).results;
    expect([both.passed, both.failed, both.failures]).toEqual([2, 1, ['test_a.A > test_sometimes']]);
  });

  it('are none in output without a test runner', () => {
    expect(readTestResults('ok\n5 files checked\n3 passing thoughts\nTests: fine\n').results).toMatchObject({
      ran: 0,
      failed: 0,
      skipped: 0,
      runners: [],
    });
  });

  it('are the same wherever the reading of long output pauses', async () => {
    const noise = `${'x'.repeat(80)}\n`.repeat(1_000);
    const texts = readdirSync(new URL('outputs/', import.meta.url)).map(output);
    for (const text of texts) {
      const plain = readTestResults(text);
      expect(await readLongResults(text, [])).toEqual(plain);
      expect(readTestResults(`${noise}${text}\n${noise}`)).toEqual(plain);
    }
    const all = texts.join('\n');
    expect(await readLongResults(all, [])).toEqual(readTestResults(all));
  });

  it('are read from two million lines while other work continues', async () => {
    let turns = 0;
    let isDone = false;
    const work = () => {
      turns += 1;
      if (!isDone) setImmediate(work);
    };
    setImmediate(work);
    const { results } = await readLongResults(`${'line 1\n'.repeat(2_000_000)}${output('pytest-q.txt')}`, []);
    isDone = true;
    expect(counts(results)).toEqual([2, 2, 0, 2]);
    expect(turns).toBeGreaterThan(500);
  });

  it('are read in linear time from output that is made to be slow', () => {
    const million = 1_000_000;
    for (const text of [
      `ok  \tx\t1s${' ['.repeat(million)}`,
      `      Tests  ${'1 (1'.repeat(million)}`,
      `Tests: ${'1'.repeat(million)}`,
      `running 1 test\n${' ... ok <'.repeat(million)}`,
      `1..1\n${'  ok\nok\n'.repeat(million / 5)}`,
      `Ran 1 test in 1s\n${Array.from({ length: 100_000 }, (_, n) => `FAIL: t${n} (a.B)`).join('\n')}`,
      `<testsuite>\n${'<testcase a>'.repeat(million)}`,
      `<testsuite>\n${'<testcase "'.repeat(million)}`,
      `<testsuite>\n<testcase ${'a'.repeat(million)}>`,
    ])
      readTestResults(text);
    const broken = '<testsuite>\n<testcase name="cut" <testcase name="b"><failure/></testcase>\n<testcase name="c"/>';
    expect(readTestResults(broken).results.failures).toEqual(['b']);
  });
});
