import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exitCodeOf } from '../../../src/cli/exit-code.ts';
import { flagsOf } from '../../../src/core/run/state.ts';
import { runDocument } from '../../../src/core/view/document.ts';
import { makeLandingRun } from './landing-run.ts';

const cargo = (...tests: string[]) => {
  const count = (status: string) => tests.filter((test) => test.endsWith(status)).length;
  const result = `${count('ok')} passed; ${count('FAILED')} failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.0s`;
  return [
    `running ${tests.length} tests`,
    ...tests.map((test) => `test ${test}`),
    `test result: ok. ${result}`,
    '',
  ].join('\n');
};

/** A check that prints `green` of the repository, or `red` and fails in the runs that are listed, counted from 1 since the list was written. */
async function makeUnstableRun(config: Record<string, unknown> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'mh-unstable-'));
  const count = join(folder, 'count');
  const check = [
    `cd lib; n=$(($(cat ${count} 2>/dev/null || echo 0) + 1)); echo $n >${count}; echo "$HOME $TMPDIR" >>${folder}/homes`,
    `if grep -qx $n ${folder}/red 2>/dev/null; then cat red; exit 1; fi; cat green`,
  ].join('\n');
  const files = {
    'lib/green': cargo('tests::adds ... ok', 'tests::odd ... ok'),
    'lib/red': cargo('tests::adds ... ok', 'tests::odd ... FAILED'),
  };
  const run = await makeLandingRun({ check, files, config });
  return {
    ...run,
    failIn: (...runs: number[]) => {
      rmSync(count, { force: true });
      writeFileSync(join(folder, 'red'), runs.map((each) => `${each}\n`).join(''));
    },
    homes: () => readFileSync(join(folder, 'homes'), 'utf8').trim().split('\n'),
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true });
      await run[Symbol.asyncDispose]();
    },
  };
}

it('runs a red check again in a fresh HOME and TMPDIR; a test of the base that then passes is flaky and costs nothing', async () => {
  await using run = await makeUnstableRun();
  await run.checkBase();
  run.failIn(1);
  await run.work('a', { files: { 'one.txt': '1\n' } });
  await run.land('a');
  expect([run.status('a'), run.task('a').counted, run.task('a').free]).toEqual(['done', 0, 0]);
  expect(flagsOf(run.task('a'))).toMatchObject([
    {
      risk: 'flaky-check',
      severity: 'medium',
      blocking: false,
      detail: expect.stringContaining('check (tests::odd) is flaky'),
    },
  ]);
  expect(run.task('a').evidence).toMatchObject([
    {
      verdict: 'pass',
      reruns: [{ verdict: 'fail', failures: ['tests::odd'], output: expect.stringContaining('tests::odd ... FAILED') }],
    },
  ]);
  const [, first, again] = run.homes();
  expect(first).not.toBe(again);
  const fresh = again?.split(' ') ?? [];
  expect(fresh.map((path) => existsSync(path))).toEqual([false, false]);
  run.failIn(1);
  await run.work('b', { files: { 'two.txt': '2\n' } });
  await run.land('b');
  expect(flagsOf(run.task('b'))).toMatchObject([{ detail: expect.stringContaining('(2 times in this project)') }]);
});

it('lets a third run decide where the failing test is new or changed: green after red is held, red fails', async () => {
  await using run = await makeUnstableRun();
  await run.checkBase();
  const changed = { 'test/odd.test.rs': 'fn odd() { tests::odd }\n' };
  run.failIn(1);
  await run.work('held', { files: { ...changed, 'one.txt': '1\n' } });
  await run.land('held');
  expect(run.task('held').phase).toMatchObject({
    status: 'held',
    hold: { reason: expect.stringContaining('check (tests::odd) failed once and passed twice on the same commit') },
  });
  run.failIn(1, 3);
  await run.work('red', { files: { ...changed, 'two.txt': '2\n' } });
  await run.land('red');
  expect([run.status('red'), run.task('red').counted]).toEqual(['ready', 1]);
  run.failIn(1, 2);
  await run.work('twice', { files: { 'three.txt': '3\n' } });
  await run.land('twice');
  expect([run.status('twice'), run.task('twice').counted]).toEqual(['ready', 1]);
});

it('does not run a check again where the settings say so', async () => {
  await using run = await makeUnstableRun({ limits: { attempts: 1, checkReruns: 0, freeDiskMb: 0, freeMemoryMb: 0 } });
  await run.checkBase();
  run.failIn(1);
  await run.work('a', { files: { 'one.txt': '1\n' } });
  await run.land('a');
  expect([run.status('a'), run.homes().length]).toEqual(['ready', 2]);
});

it('ignores the failure of a test that a person quarantined', async () => {
  await using run = await makeUnstableRun({ guards: { quarantine: ['tests::odd'] } });
  await run.checkBase();
  run.failIn(1, 2, 3);
  await run.work('a', { files: { 'one.txt': '1\n' } });
  await run.land('a');
  expect(run.status('a')).toBe('done');
  expect(flagsOf(run.task('a'))).toMatchObject([{ risk: 'known-red', detail: 'tests fail that may fail: tests::odd' }]);
});

it('lets exactly the tests that fail on the base keep failing, and says so', async () => {
  const check = 'cat lib/*; ! grep -q FAILED lib/*';
  const files = { 'lib/a': cargo('tests::adds ... ok', 'tests::odd ... FAILED') };
  await using run = await makeLandingRun({ check, files, config: { baseRed: 'known' } });
  await run.checkBase();
  await run.work('same', { files: { 'one.txt': '1\n' } });
  await run.work('more', { files: { 'lib/a': cargo('tests::adds ... FAILED', 'tests::odd ... FAILED') } });
  await run.land('same');
  await run.land('more');
  expect([run.status('same'), run.status('more')]).toEqual(['done', 'ready']);
  const document = runDocument(run.active.ledger.state);
  expect(document.knownRed).toEqual(['tests::odd']);
  expect(exitCodeOf({ ...document, status: 'done' })).toBe(4);
});

it('refuses to continue with what fails on the base where the output names no tests', async () => {
  await using run = await makeLandingRun({
    check: 'echo 1 failed, 2 passed in 0.1s; exit 1',
    config: { baseRed: 'known' },
  });
  await expect(run.checkBase()).rejects.toMatchObject({ code: 'REFUSED' });
});
