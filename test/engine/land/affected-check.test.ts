import { expect, it } from 'vitest';
import { verdictOf } from '../../../src/core/finish/verdict.ts';
import { landOnBase } from '../../../src/engine/land/land-on-base.ts';
import { makeLandingRun } from './landing-run.ts';

/** A runner that prints the report of each package, as a test runner would, and records its arguments. */
const RUNNER = 'echo "$@" >>"$HOME/calls"; for each; do cat packages/$each/report || exit 1; done';
const CHECK = `sh ci.sh {packages}`;
const report = (...tests: string[]) => {
  const passed = tests.length;
  const lines = tests.map((test) => `test ${test} ... ok`);
  return [
    `running ${passed} tests`,
    ...lines,
    `test result: ok. ${passed} passed; 0 failed; 0 ignored; 0 measured; 0 filtered out`,
    '',
  ].join('\n');
};
const member = (name: string, ...needs: string[]) =>
  JSON.stringify({ name, dependencies: Object.fromEntries(needs.map((need) => [need, '*'])) });
const FILES = {
  'package.json': '{ "workspaces": ["packages/*"] }',
  'ci.sh': RUNNER,
  'packages/a/package.json': member('a'),
  'packages/a/report': report('a::one', 'a::two'),
  'packages/b/package.json': member('b', 'a'),
  'packages/b/report': report('b::one'),
  'packages/c/package.json': member('c'),
  'packages/c/report': report('c::one'),
};

it('checks what work affects, compares it with the same command on the base, and checks everything before the base moves', async () => {
  await using run = await makeLandingRun({ check: CHECK, files: FILES });
  const calls = () => run.project.lines('calls');
  await run.checkBase();
  expect(run.active.ledger.state.baseEvidence).toMatchObject([{ verdict: 'not-applicable', gate: 'check' }]);

  await run.work('c', { files: { 'packages/c/x.js': 'x\n' } });
  await run.land('c');
  expect([run.status('c'), run.task('c').lesson]).toEqual(['done', null]);
  expect(run.task('c').evidence).toMatchObject([
    { verdict: 'pass', command: 'sh ci.sh c', tests: { ran: 1 }, onBase: { verdict: 'pass', command: 'sh ci.sh c' } },
  ]);
  expect(calls()).toEqual(['c', 'c']);

  await run.work('lost', { files: { 'packages/a/report': report('a::one') } });
  await run.land('lost');
  expect(run.task('lost').phase).toMatchObject({
    status: 'held',
    hold: { reason: expect.stringContaining('a test of the base did not run: a::two') },
  });
  expect(calls().slice(2)).toEqual(['a b', 'a b']);

  await run.work('gone', { files: { 'packages/b/package.json': null, 'packages/b/report': null } });
  await run.land('gone');
  expect(run.task('gone').phase).toMatchObject({
    status: 'held',
    hold: { reason: 'check: 1 test of the base did not run, because all that it checks was removed' },
  });
  await run.approve('gone');
  await run.land('gone');
  expect(run.status('gone')).toBe('done');

  await run.work('docs', { files: { 'README.md': '# Docs\n' } });
  await run.land('docs');
  expect(run.status('docs')).toBe('done');
  expect(run.task('docs').evidence).toMatchObject([
    { verdict: 'not-applicable', summary: 'check is not applicable: no package that it checks is affected' },
  ]);
  const before = calls().length;
  expect(await landOnBase(run.engine, run.active)).toEqual({ kind: 'landed' });
  expect(calls().slice(before)).toEqual(['a c']);
});

it('ends unverified where no check applies, and refuses a repository without a workspace', async () => {
  await using run = await makeLandingRun({ check: CHECK, files: FILES });
  await run.checkBase();
  await run.work('docs', { files: { 'README.md': '# Docs\n' } });
  await run.land('docs');
  expect(verdictOf(run.active.ledger.state)).toMatchObject({
    status: 'unverified',
    reason: 'no check applies to the changes; the full check runs before the base moves',
  });
  await run.work('removed', { files: { 'package.json': '{}' } });
  await run.land('removed');
  expect(run.status('removed')).toBe('held');
  await run.approve('removed');
  await run.land('removed');
  expect(run.task('removed').evidence).toMatchObject([{ command: 'sh ci.sh a b c' }]);

  await using plain = await makeLandingRun({ check: 'make {packages}', files: { 'a.c': '' } });
  await plain.checkBase();
  await plain.work('x', { files: { 'b.c': '' } });
  await plain.land('x');
  expect(plain.task('x').lesson ?? plain.task('x').evidence[0]?.summary).toContain('{packages} needs a workspace');
});
