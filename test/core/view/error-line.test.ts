import { describe, expect, it } from 'vitest';
import { errorLine } from '../../../src/core/view/error-line.ts';

describe('the line that names an error', () => {
  it.each([
    [
      "/x/broken.js:1\nconst x = ;\n          ^\n\nSyntaxError: Unexpected token ';'\n    at checkSyntax (node:internal)\n\nNode.js v24",
      "SyntaxError: Unexpected token ';'",
    ],
    ['> tsc\nsrc/a.ts(3,7): error TS2322: Type is wrong.\n', 'src/a.ts(3,7): error TS2322: Type is wrong.'],
    ['running\n✖ adds twice (1.2ms)\nℹ fail 1\n', '✖ adds twice (1.2ms)'],
    ['AssertionError [ERR_ASSERTION]: Expected 3, got 4\n', 'AssertionError [ERR_ASSERTION]: Expected 3, got 4'],
    ['error[E0308]: mismatched types\n --> src/main.rs', 'error[E0308]: mismatched types'],
    ['sh: 1: eslint: command not found\n', 'sh: 1: eslint: command not found'],
    ['one\nthe last words\n---\n', 'the last words'],
  ])('of %j', (output, line) => {
    expect(errorLine({ output })).toBe(line);
  });

  it('is the first failed test where the output names nothing, and nothing without both', () => {
    const tests = { ran: 1, passed: 0, failed: 1, skipped: 0, runners: [], failures: ['adds'] };
    expect(errorLine({ tests })).toBe('failed: adds');
    expect(errorLine({})).toBeUndefined();
    expect(errorLine({ output: `Error: ${'x'.repeat(500)}` })).toHaveLength(200);
  });
});
