import { describe, expect, it } from 'vitest';
import { flagsOf } from '../../../src/core/run/state.ts';
import { makeLandingRun } from './landing-run.ts';

const HEAD =
  "const { test } = require('node:test');\nconst assert = require('node:assert');\nconst add = require('../add.js');\n";
const BASE = {
  'add.js': 'module.exports = (a, b) => (a < 0 ? 0 : a + b);\n',
  'test/add.test.js': `${HEAD}test('adds', () => assert.equal(add(1, 1), 2));\n`,
};
const CORRECT = 'module.exports = (a, b) => a + b;\n';
const NEGATIVE = `${HEAD}test('adds negative numbers', () => assert.equal(add(-1, 1), 0));\ntest('adds two negative numbers', () => assert.equal(add(-1, -1), -2));\n`;

const makeNodeRun = async () => {
  const run = await makeLandingRun({ check: 'node --test', files: BASE });
  await run.checkBase();
  return run;
};

describe('added tests', () => {
  it('do not replace those of the base: without them the base must still pass', async () => {
    await using run = await makeNodeRun();
    const broken = 'module.exports = () => 0;\n';
    const patches = `const path = require.resolve('../add.js');\nrequire('node:fs').writeFileSync(path, 'module.exports = (a, b) => a + b;');\n`;
    await run.work('rewrites', {
      files: {
        'add.js': broken,
        'test/aaa.test.js': `${patches}${HEAD}test('a', () => assert.equal(add(1, 1), 2));\n`,
      },
    });
    await run.land('rewrites');
    expect(run.task('rewrites').phase).toMatchObject({
      status: 'held',
      hold: { reason: expect.stringMatching(/^(Without the tests that it adds|It changes tests)/) },
    });
  });

  it('that pass on the base are reported by name, and honest ones land', async () => {
    await using run = await makeNodeRun();
    await run.work('honest', { files: { 'add.js': CORRECT, 'test/negative.test.js': NEGATIVE } });
    await run.land('honest');
    expect(run.status('honest')).toBe('done');
    expect(flagsOf(run.task('honest'))).toMatchObject([
      {
        risk: 'test-passes-on-base',
        blocking: false,
        detail: 'an added test passes on the base too: adds negative numbers',
      },
    ]);
  });

  it('that pass on the base are a risk of the task that added them, not of those that land with it', async () => {
    await using run = await makeNodeRun();
    const one = `${HEAD}test('doubles', () => assert.equal(add(2, 2), 4));\n`;
    const other = `${HEAD}test('adds two negatives', () => assert.equal(add(-1, -1), -2));\n`;
    await run.work('needless', { files: { 'test/double.test.js': one } });
    await run.work('needed', { files: { 'add.js': CORRECT, 'test/negatives.test.js': other } });
    await run.land('needless', 'needed');
    expect([run.status('needless'), run.status('needed')]).toEqual(['done', 'done']);
    const detail = 'an added test passes on the base too: doubles';
    expect(flagsOf(run.task('needless'))).toMatchObject([{ risk: 'test-passes-on-base', detail }]);
    expect(flagsOf(run.task('needed'))).toEqual([]);
  });
});

describe('a fix', () => {
  it('without a test that fails on the base goes back to its agent once, and is then reported as not proven', async () => {
    await using run = await makeNodeRun();
    await run.work('a', { files: { 'add.js': CORRECT }, spec: { title: 'Fix the sum of negative numbers' } });
    await run.land('a');
    expect([run.status('a'), run.task('a').counted]).toEqual(['ready', 0]);
    expect(run.task('a').lesson).toContain('no added test fails without the fix');
    await run.deliver('a', { files: { 'add.js': `${CORRECT}// again\n` }, attempt: 2 });
    await run.land('a');
    expect(run.status('a')).toBe('done');
    expect(flagsOf(run.task('a'))).toMatchObject([{ risk: 'not-proven', severity: 'medium' }]);
  });

  it('with a test that fails on the base by an assertion lands', async () => {
    await using run = await makeNodeRun();
    await run.work('a', {
      files: { 'add.js': CORRECT, 'test/negative.test.js': NEGATIVE },
      spec: { title: 'Fix the sum of negative numbers' },
    });
    await run.land('a');
    expect(run.status('a')).toBe('done');
    expect(flagsOf(run.task('a')).map(({ risk }) => risk)).toEqual(['test-passes-on-base']);
  });
});
