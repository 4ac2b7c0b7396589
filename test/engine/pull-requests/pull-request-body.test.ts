import { describe, expect, it } from 'vitest';
import { plainText, pullRequestBody } from '../../../src/engine/pull-requests/pull-request-body.ts';
import type { RunEvent } from '../../../src/schema/event.ts';
import { added, evidence, given, landed, spec, started, T0, taskEnded, worked } from '../../support/given.ts';

const gates = [{ gate: 'command' as const, name: 'npm test', run: 'npm test' }];
const passed: RunEvent = {
  type: 'gate.ended',
  data: { tasks: ['a'], commit: 'c', evidence: evidence('npm test', 'pass', 'tree') },
};

function bodyOf(input: object, ...events: RunEvent[]): string {
  const { state } = given(started({ input }), ...events);
  const failed = [{ key: 'b', branch: 'mh-tasks/r0000001/b' }];
  return pullRequestBody({ state, branch: 'mh/r0000001', remote: 'origin', failed, now: T0 + 180_000 });
}

describe('the text of a pull request', () => {
  it('has the request, what landed, the checks of exactly this tree, the cost and how to get it', () => {
    const text = bodyOf({ goal: 'Add offers' }, added(spec('a', { gates })), ...worked('a'), passed, landed('a'));
    expect(text).toContain('## Request\n\n> Add offers');
    expect(text).toContain('- `a` a: a said so');
    expect(text).toContain('| `npm test` | pass |');
    expect(text).not.toContain('unverified');
    expect(text).toMatch(/1 attempt, 3 min\./);
    expect(text).toContain('git fetch origin mh/r0000001');
  });

  it('says that a result without a check on this tree is unverified', () => {
    expect(bodyOf({}, added(spec('a')), ...worked('a'), landed('a'))).toContain('the result is **unverified**');
  });

  it('names failed tasks with the branch of their work', () => {
    const text = bodyOf({}, added(spec('a'), spec('b')), ...worked('a'), landed('a'), taskEnded('b', 'failed'));
    expect(text).toMatch(/- \*\*failed\*\* `b` b.*\(its work: `mh-tasks\/r0000001\/b`\)/);
  });

  it('is limited in length', () => {
    const text = bodyOf({ goal: 'word '.repeat(20_000) }, added(spec('a')), ...worked('a'), landed('a'));
    expect(text.length).toBeLessThan(31_000);
  });

  it('keeps a request inside its quotation', () => {
    expect(bodyOf({ goal: 'one\n\n## Risks\nnone' })).toContain('> one\n>\n> ## Risks\n> none');
  });
});

describe('text of an agent', () => {
  it.each([
    ['a mention', 'ask @octocat', 'ask @\u200boctocat'],
    ['a reference', 'fixes #12 and GH-3', 'fixes #\u200b12 and GH-\u200b3'],
    ['a link', 'see https://evil.example/x', 'see https:\u200b//evil.example/x'],
    ['markup', '<img src=x> **bold** `code`', '&lt;img src=x> \\*\\*bold\\*\\* \\`code\\`'],
    ['direction marks and controls', 'a\u202eb\u0007c', 'abc'],
    ['several lines', 'one\n## two', 'one ## two'],
  ])('has no effect as %s', (_, text, expected) => {
    expect(plainText(text)).toBe(expected);
  });
});
