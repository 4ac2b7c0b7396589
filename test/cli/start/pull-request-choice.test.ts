import { describe, expect, it } from 'vitest';
import { parseChoice } from '../../../src/cli/commands/work/review.ts';
import type { PullRequest } from '../../../src/schema/pull-request.ts';
import { testProgram } from '../cli-run.ts';

function pull(number: number, title: string): PullRequest {
  const head = { branch: `branch-${number}`, commit: 'c' };
  return { number, title, url: 'u', state: 'open', draft: false, author: 'bob', head, base: 'main', fork: false };
}

const OPEN = [pull(42, 'One'), pull(43, 'Two'), pull(44, 'Three')];

describe('choosing pull requests', () => {
  it.each([
    ['1,3', [42, 44]],
    [' 2 2, 1', [43, 42]],
    ['ALL', [42, 43, 44]],
    ['q', []],
    ['', []],
  ])('accepts %j', (answer, expected) => {
    expect(parseChoice(answer, OPEN)).toEqual(expected);
  });

  it.each(['4', '0', '-1', '42', '1;2', 'one'])('rejects %s, which is not in the table', (answer) => {
    expect(() => parseChoice(answer, OPEN)).toThrow(/is not a number from 1 to 3/);
  });

  it('shows them in a table without control characters, and reviews the chosen ones', async () => {
    const answers = {
      'list-pull-requests': [pull(42, 'Evil \u001b[2J title')],
      'review-pull-request': () => {
        throw new Error('asked for the review');
      },
    };
    const { stderr, calls } = await testProgram({ answers, answer: '1' }).run('review', '--yes', '--check', 'true');
    expect(stderr).not.toContain('\u001b');
    expect(stderr).toContain('branch-42');
    expect(calls.at(-1)).toMatchObject({
      name: 'review-pull-request',
      input: { number: 42, yes: true, options: { checks: ['true'] } },
    });
  });

  it('names the flags to use without a terminal', async () => {
    const { code, stderr } = await testProgram({ answers: { 'list-pull-requests': OPEN } }).run('review');
    expect([code, stderr]).toEqual([2, expect.stringContaining('--pr <number> or --from-run')]);
  });

  it('does nothing when none is open', async () => {
    const { code, stderr } = await testProgram({ answers: { 'list-pull-requests': [] } }).run('review');
    expect([code, stderr]).toEqual([0, 'There is no open pull request.\n']);
  });
});
