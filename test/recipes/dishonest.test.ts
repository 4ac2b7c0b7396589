import { describe, expect, it } from 'vitest';
import { isShownBy, judgeSteps, resultsOf } from '../../src/core/land/steps.ts';
import { isSameProposal } from '../../src/core/watch/same-proposal.ts';
import { isEvidence } from '../../src/recipes/points.ts';

describe('agents that agree without evidence', () => {
  it.each([
    ['n/a'],
    ['N/A.'],
    ['Yes/no, and/or as the other side says'],
    ['e.g. what was said'],
    ['I agree, it is obvious.It works'],
    ['`yes`'],
    ['` `'],
    ['see above, 3/4 of it'],
    ['\u200bsrc\u200b'],
    ['i.e. the same'],
    ['It makes sense, so it passes'],
    ['I find that it works at 9 a.m.'],
    ['The license and the readme are fine'],
  ])('are not believed: %s', (text) => {
    expect(isEvidence(text)).toBe(false);
  });

  it.each([
    ['src/a.ts:3 loops twice'],
    ['a.ts'],
    ['`npm test` printed 3 failures'],
    ['$ make check'],
    ['in ./lib/parse'],
    ['Makefile has no target for it'],
    ['`parse` never returns'],
    ['config.weird:12'],
    ['pkg/server'],
    ['Makefile:12'],
    ['Dockerfile'],
    ['src/a.rs:3-9'],
    ['npm test prints 3 failures'],
    ['make check exits 1'],
    ['pytest: 2 failed'],
    ['LICENSE'],
    ['go.mod'],
    ['.gitignore'],
    ['Jenkinsfile:3'],
    ['schema.prisma'],
  ])('are believed when they name what can be looked at: %s', (text) => {
    expect(isEvidence(text)).toBe(true);
  });
});

describe('a reviewer or verifier that ticks what it contradicts', () => {
  const pass = (step: number) => ({ step, result: 'pass' as const, note: 'ran npm test' });
  const fail = (step: number) => ({ step, result: 'fail' as const, note: 'missing' });

  it.each([[[fail(1), pass(1)]], [[pass(1), fail(1)]], [[pass(1), fail(1), pass(1)]]])(
    'is not believed about a step that it also calls failed: %j',
    (steps) => {
      expect(resultsOf(steps).get(1)?.result).toBe('fail');
      expect(judgeSteps({ steps, summary: '' }, ['It works']).passed).toBe(false);
    },
  );

  it('is not believed about steps that nobody requested', () => {
    expect(judgeSteps({ steps: [pass(0), pass(2), pass(99)], summary: '' }, ['It works']).passed).toBe(false);
  });

  it.each(['', ' ', '\u200b', '✓', 'ok', 'Done.', 'Looks good to me!', 'LGTM', 'n/a', '- - -', '100%', 'Passed'])(
    'shows nothing by the note %j',
    (note) => {
      expect(isShownBy(note)).toBe(false);
    },
  );

  it.each(['ran it', 'npm test: 12 passed', 'one.txt exists', 'Datei gefunden', '一覧を表示した'])(
    'shows it by the note %j',
    (note) => {
      expect(isShownBy(note)).toBe(true);
    },
  );
});

describe('a watcher that makes the same proposal in new words', () => {
  const first = {
    title: 'The total is wrong for an empty cart',
    category: 'bug',
    file: 'src/cart.ts',
    line: 12,
  } as const;

  it.each([
    ['other words for the same line', { title: 'Division by zero when nothing was bought', line: 13 }],
    ['another category for the same line', { title: 'Wrong sum', category: 'maintenance' as const, line: 12 }],
    ['the same file, written differently', { title: 'Nothing bought gives NaN', file: './src//cart.ts', line: 10 }],
    ['characters that are not seen', { title: 'The to\u200btal is wr\u200dong for an em\u00adpty cart', line: 400 }],
    ['accents', { title: 'Thé tótal is wröng for an émpty cart', line: 400 }],
    ['lines a little farther away', { title: 'Empty basket, wrong sum', line: 30 }],
    [
      'another file with the same words',
      { title: 'For an empty cart the total is wrong!', file: 'src/shop.ts', line: 1 },
    ],
    ['capitals and order', { title: 'EMPTY CART: TOTAL WRONG', line: 900, category: 'maintenance' as const }],
  ])('makes no second one: %s', (_, change) => {
    expect(isSameProposal(first, { ...first, ...change })).toBe(true);
  });

  it.each([
    ['another defect far away', { title: 'The cart has no icon', line: 300 }],
    [
      'another defect of another kind nearby',
      { title: 'Missing comment', category: 'documentation' as const, line: 14 },
    ],
    ['the same lines of another file', { title: 'Division by zero', file: 'src/b.ts' }],
  ])('may propose something else: %s', (_, change) => {
    expect(isSameProposal(first, { ...first, ...change })).toBe(false);
  });

  it.each([
    ['The parser ignores a trailing comma', 10, 'The parser leaks a handle when reading fails', 30, 'src/parse.ts'],
    ['SQL is built by concatenation', 12, 'The connection is never closed', 18, 'src/db.ts'],
    ['No test for an empty cart', 5, 'No test for a negative amount', 20, 'src/cart.ts'],
    ['parseDate accepts month 13', 10, 'formatDate omits the time zone', 22, 'src/date.ts'],
    ['Missing unit test for parseDate', 10, 'Missing unit test for formatDate', 80, 'src/date.ts'],
    ['README does not say how to install', 1, 'README names a removed option', 20, 'README.md'],
    ['The timeout of the request is ignored', 40, 'A retry of the request doubles the body', 55, 'src/http.ts'],
    ['lodash is outdated', 12, 'express is outdated', 13, 'package.json'],
    ['add() is not documented', 3, 'sub() is not documented', 9, 'src/math.ts'],
    ['Login does not limit attempts', 10, 'Passwords are not compared in constant time', 14, 'src/auth.ts'],
  ])('may propose two things for one file: %s (%i), %s (%i)', (title, line, other, otherLine, file) => {
    const one = { title, line, file, category: 'bug' } as const;
    expect(isSameProposal(one, { ...one, title: other, line: otherLine })).toBe(false);
  });
});
