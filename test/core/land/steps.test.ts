import { describe, expect, it } from 'vitest';
import { judgeSteps, stepsFromText } from '../../../src/core/land/steps.ts';

describe('the answer of a verifier in lines', () => {
  it.each([
    ['STEP 1: PASS', 1, 'pass', ''],
    ['step 2: fail the button is gone', 2, 'fail', 'the button is gone'],
    ['**STEP 3: PASS** - saw it', 3, 'pass', 'saw it'],
    ['- STEP 4: FAILED: 404', 4, 'fail', '404'],
    ['> STEP 12 - PASSED', 12, 'pass', ''],
  ])('reads %j', (line, step, result, note) => {
    expect(stepsFromText(line)?.steps).toEqual([{ step, result, note }]);
  });

  it('uses the last result of a step, and keeps the steps in their order', () => {
    const parsed = stepsFromText('STEP 2: PASS\nSTEP 1: FAIL\r\nSTEP 1: PASS');
    expect(parsed?.steps.map(({ step, result }) => [step, result])).toEqual([
      [1, 'pass'],
      [2, 'pass'],
    ]);
  });

  it('finds nothing in prose about steps', () => {
    expect(stepsFromText('I passed step 1 and the tests. STEPS: PASS. The next step: failing.')).toBeUndefined();
  });
});

describe('the verdict on the steps', () => {
  const pass = (step: number) => ({ step, result: 'pass', note: '' });

  it('is yes only when every requested step passed', () => {
    expect(judgeSteps({ steps: [pass(1), pass(2)] }, ['a', 'b']).passed).toBe(true);
    expect(judgeSteps({ steps: [pass(1)] }, ['a', 'b'])).toMatchObject({
      passed: false,
      summary: '1 of 2 steps did not pass',
      report: expect.stringContaining('STEP 2: NOT VERIFIED b'),
    });
  });

  it('is no when the verifier reports a failure beside the requested steps', () => {
    const extra = { step: 3, result: 'fail', note: 'the page is blank' };
    expect(judgeSteps({ steps: [pass(1), pass(2), extra] }, ['a', 'b'])).toMatchObject({
      passed: false,
      summary: '1 of 3 steps did not pass',
      report: expect.stringContaining('STEP 3: FAIL\n  the page is blank'),
    });
    expect(judgeSteps({ steps: [pass(1), pass(2), pass(3)] }, ['a', 'b']).passed).toBe(true);
  });

  it('is no without results, when the verdict is fail, and when the answer has another form', () => {
    expect(judgeSteps(undefined, []).passed).toBe(false);
    expect(judgeSteps({ steps: [] }, []).passed).toBe(false);
    expect(judgeSteps({ steps: [pass(1)], verdict: 'fail' }, ['a']).passed).toBe(false);
    expect(judgeSteps('all good', ['a']).passed).toBe(false);
  });

  it('uses the steps that the verifier lists where none were requested', () => {
    expect(judgeSteps({ steps: [pass(1), { step: 2, result: 'fail', note: 'no' }] }, []).passed).toBe(false);
    expect(judgeSteps({ steps: [pass(1)] }, []).passed).toBe(true);
    expect(judgeSteps({ steps: [], verdict: 'pass' }, []).passed).toBe(true);
  });
});
