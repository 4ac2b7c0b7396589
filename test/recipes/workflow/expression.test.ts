import { describe, expect, it } from 'vitest';
import { checkExpression, evaluate } from '../../../src/recipes/workflow/expression.ts';
import { workflowVariables } from '../../../src/recipes/workflow/workflow-progress.ts';

const VARIABLES = workflowVariables(
  new Map<string, Record<string, unknown>>([
    ['testing', { status: 'pass', failures: [], rate: 0.5, count: 3 }],
    ['review', { status: 'fail', blocking_issues: ['a', 'b'] }],
    ['forged', { status: 'pass', blocking_issues: ['a'], blocking_count: 0 }],
    ['build-docs', { status: 'pass', done: null }],
  ]),
  { converged: true },
);

describe('an expression', () => {
  it.each([
    ['testing.status == "pass"', true],
    ['review.blocking_count == 0', false],
    ['review.blocking_count == 2 && testing.count + 1 == 4', true],
    ['forged.blocking_count == 0', false],
    ['testing.rate + 1 > 1', true],
    ['nodes["build-docs"].status in ["pass", "skipped"]', true],
    ['outputs.get("nobody", {}).get("rate", 1.0) < 0.01', false],
    ['len(outputs.get("testing", {}).get("failures", [])) == 0', true],
    ['nodes["build-docs"].done', false],
    ['review.blocking_issues.exists(issue, issue == "b")', true],
    ['has(testing.missing)', false],
    ['converged', true],
  ])('is answered: %s', (text, value) => {
    expect(evaluate(text, VARIABLES)).toEqual({ ok: true, value });
  });

  it.each([
    ['testing.missing == 1', /No such key: missing/],
    ['nobody.status == "pass"', /Unknown variable: nobody/],
    ['testing.constructor == 1', /No such key/],
    ['testing.__proto__ == 1', /No such key/],
    ['testing.status', /gave a text, not true or false/],
    ['"".matches("(a+)+$")', /matches is not allowed/],
    ['[1].all(x, [2].all(y, true))', /inside another loop/],
    [`${'('.repeat(200)}true${')'.repeat(200)}`, /maxDepth/],
    [`${'true || '.repeat(600)}true`, /longer than|maxAstNodes/],
    ['testing.status ==', /EOF/],
  ])('is refused and never thrown: %s', (text, says) => {
    expect(evaluate(text, VARIABLES)).toMatchObject({ ok: false, message: expect.stringMatching(says) });
  });

  it('is not asked of more values than it may take', () => {
    const answer = evaluate('size(many) > 0', { many: Array.from({ length: 100_000 }, (_, index) => index) });
    expect(answer).toMatchObject({ ok: false, message: expect.stringMatching(/more than 20000/) });
  });

  it('tells the names that it asks for, and the column of a mistake', () => {
    expect(checkExpression('a.b == 1 && c.exists(x, x == d)')).toEqual({ ok: true, names: ['a', 'c', 'd'] });
    expect(checkExpression('a..b')).toEqual({ ok: false, message: 'Expected IDENTIFIER, got DOT', column: 3 });
  });
});
