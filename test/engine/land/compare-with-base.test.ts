import { expect, it } from 'vitest';
import { flagsOf } from '../../../src/core/run/state.ts';
import { makeLandingRun } from './landing-run.ts';

/** A check that prints what the files in lib contain, as a runner prints its report. */
const PRINTED = 'cat lib/*';
const cargo = (...tests: string[]) => {
  const count = (status: string) => tests.filter((test) => test.endsWith(status)).length;
  const result = `${count('ok')} passed; ${count('FAILED')} failed; ${count('ignored')} ignored; 0 measured; 0 filtered out`;
  const lines = tests.map((test) => `test ${test}`);
  return [`running ${tests.length} tests`, ...lines, `test result: ok. ${result}; finished in 0.0s`, ''].join('\n');
};
const BASE = {
  'lib/a': cargo('tests::adds ... ok', 'tests::odd ... ignored'),
  'lib/b': cargo('tests::subtracts ... ok'),
};

it('holds work on which a test of the base did not run or is skipped, with the names of the tests', async () => {
  await using run = await makeLandingRun({ check: PRINTED, files: BASE });
  await run.checkBase();
  expect(run.active.ledger.state.baseEvidence).toMatchObject([
    {
      verdict: 'pass',
      tests: { ran: 2, passed: 2, failed: 0, skipped: 1 },
      summary: 'check passed (2 tests ran, 1 skipped)',
    },
  ]);
  const held: [string, string | null, string][] = [
    [
      'ignored',
      cargo('tests::adds ... ignored', 'tests::odd ... ignored'),
      'a test of the base is skipped now: tests::adds',
    ],
    ['deleted', cargo('tests::odd ... ignored'), 'a test of the base did not run: tests::adds'],
    ['replaced', cargo('tests::other ... ok', 'tests::odd ... ignored'), 'a test of the base did not run: tests::adds'],
    ['gone', null, 'check: cargo test ran 1 of 2 tests'],
  ];
  for (const [key, text, reason] of held) {
    await run.work(key, { files: { 'lib/a': text } });
    await run.land(key);
    expect(run.task(key).phase).toMatchObject({
      status: 'held',
      hold: { what: 'guard', reason: expect.stringContaining(reason) },
    });
    expect(flagsOf(run.task(key))).toMatchObject([
      { severity: 'high', blocking: true },
      ...(key === 'replaced' ? [] : [{}]),
    ]);
  }
  await run.approve('deleted');
  await run.land('deleted');
  expect(run.status('deleted')).toBe('done');
});

it('fails work whose check exits with 0 although its runner reports failures or no tests at all', async () => {
  await using run = await makeLandingRun({ check: PRINTED, files: BASE });
  await run.checkBase();
  await run.work('red', { files: { 'lib/a': cargo('tests::adds ... FAILED', 'tests::odd ... ignored') } });
  await run.land('red');
  expect(run.task('red').lesson).toContain(
    'check failed on the merged tree: it exited with 0 but reported 1 failed test: tests::adds',
  );
  await run.work('silent', { files: { 'lib/a': 'done\n', 'lib/b': 'done\n' } });
  await run.land('silent');
  expect(run.task('silent').lesson).toContain(
    'check failed on the merged tree: it exited with 0 but reported no tests; 2 ran on the base',
  );
  expect([run.status('red'), run.status('silent')]).toEqual(['ready', 'ready']);
});

it('lands honest work: more tests, tests in another file, and tests that earlier work added', async () => {
  await using run = await makeLandingRun({ check: PRINTED, files: BASE });
  await run.checkBase();
  await run.work('more', { files: { 'lib/c': cargo('tests::more ... ok', 'tests::another ... ok') } });
  await run.work('moved', { files: { 'lib/b': null, 'lib/z': cargo('math::tests::subtracts ... ok') } });
  await run.land('more', 'moved');
  expect([run.status('more'), run.status('moved')]).toEqual(['done', 'done']);
  const { commit } = run.active.ledger.state.tip;
  run.project.git('fetch', '--quiet', run.active.project.mirror.dir, commit);
  await run.work('removes', { files: { 'lib/c': cargo('tests::more ... ok') }, from: commit });
  await run.land('removes');
  expect(run.task('removes').phase).toMatchObject({
    hold: { reason: expect.stringContaining('a test of the base did not run: tests::another') },
  });
});

it('compares nothing where the base ran no tests', async () => {
  await using run = await makeLandingRun({ check: 'cat lib/*', files: { 'lib/a': 'fine\n' } });
  await run.checkBase();
  await run.work('a', { files: { 'lib/a': cargo('tests::adds ... ok') } });
  await run.land('a');
  expect(run.status('a')).toBe('done');
});

it('holds work of which the source ends the real test process before its tests', async () => {
  const test = "const { test } = require('node:test');\nconst add = require('../add.js');\n";
  const files = {
    'add.js': 'module.exports = (a, b) => a + b;\n',
    'test/add.test.js': `${test}test('adds', () => require('node:assert').equal(add(1, 1), 2));\ntest('is a function', () => add(0, 0));\n`,
  };
  await using run = await makeLandingRun({ check: 'node --test', files });
  await run.checkBase();
  const forged = "console.log('✔ adds (1ms)\\n✔ is a function (1ms)\\nℹ tests 2\\nℹ pass 2\\nℹ fail 0');";
  await run.work('exits', { files: { 'add.js': `${forged}\nprocess.exit(0);\n` } });
  await run.land('exits');
  expect(run.status('exits')).toBe('held');
  await run.work('honest', { files: { 'add.js': 'module.exports = (a, b) => b + a;\n' } });
  await run.land('honest');
  expect(run.status('honest')).toBe('done');
});
