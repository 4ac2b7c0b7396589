import { describe, expect, it } from 'vitest';
import { NOTHING_NOW } from '../../../src/cli/follow/show-steps.ts';
import { progressLines } from '../../../src/cli/render/progress.ts';
import { painter } from '../../../src/cli/render/symbols.ts';
import { textWidth } from '../../../src/cli/render/text-width.ts';
import type { RunState } from '../../../src/core/run/state.ts';
import type { CurrentActivity } from '../../../src/core/view/activity.ts';
import {
  added,
  attemptEnded,
  attempted,
  blocked,
  evidence,
  failure,
  given,
  landed,
  spec,
  started,
  T0,
  worked,
} from '../../support/given.ts';

const PLAN = [
  spec('plan/1', { title: 'Plan the work', access: 'read' }),
  spec('implement/1.1', { title: 'Fix the rounding', needs: ['plan/1'] }),
  spec('implement/1.2', { title: 'Add discounts', needs: ['plan/1'] }),
  spec('implement/1.3', { title: 'Print the receipt', needs: ['implement/1.1', 'implement/1.2'] }),
];

const midway = given(started({ title: 'A better shop' }), added(...PLAN))
  .and(attempted('plan/1'), attemptEnded('plan/1'), landed('plan/1'))
  .and(...worked('implement/1.1'), {
    type: 'gate.ended',
    data: { tasks: ['implement/1.1'], commit: 'c', evidence: evidence('npm test', 'pass') },
  })
  .and(attempted('implement/1.2'));

function draw(
  state: RunState,
  view: {
    columns?: number;
    rows?: number;
    now?: number;
    lastOutput?: [string, string][];
    current?: CurrentActivity;
  } = {},
): string[] {
  const { columns = 100, rows = 24, now = T0 + 65_000, lastOutput = [], current = NOTHING_NOW } = view;
  return progressLines(state, { columns, rows, now, lastOutput: new Map(lastOutput), colors: painter(false), current });
}

describe('the progress of a run', () => {
  it('has a line for the run, a line of counts, and a line for each task', () => {
    const [head = '', ...lines] = draw(midway.state, { lastOutput: [['implement/1.2', 'reading cart.mjs']] });
    expect(head).toMatch(/^● A better shop +r0000001 1:05$/);
    expect(lines).toEqual([
      '  running · 1 of 4 done · 1 running · main → mh/r0000001',
      '✓ plan/1         Plan the work      one  0:00',
      '▲ implement/1.1  Fix the rounding   one        ✓ npm test  landing',
      '● implement/1.2  Add discounts      one  1:05  “reading cart.mjs”',
      '· implement/1.3  Print the receipt             after implement/1.1, implement/1.2',
    ]);
  });

  it('omits titles, then agents, on a narrow terminal', () => {
    expect(draw(midway.state, { columns: 50 })[4]).toBe('● implement/1.2  one  1:05');
    expect(draw(midway.state, { columns: 36 })[4]).toBe('● implement/1.2');
  });

  for (const columns of [30, 44, 60, 72, 80, 200]) {
    it(`never draws a line wider than the terminal: ${columns} columns`, () => {
      const wide = given(
        started({ title: '直す'.repeat(80) }),
        added(spec('a', { title: '👩‍👩‍👧 family '.repeat(12) })),
        attempted('a'),
        blocked('a'),
      );
      for (const state of [midway.state, wide.state]) {
        const lines = draw(state, { columns, lastOutput: [['implement/1.2', '値段を直す '.repeat(40)]] });
        for (const line of lines) expect(textWidth(line)).toBeLessThan(columns);
      }
    });
  }

  it('shows what needs the user first, with the command that resolves it', () => {
    const hold = { what: 'risk', reason: 'it changes the test script', files: ['package.json'] } as const;
    const held = midway.and({
      type: 'task.held',
      data: { task: 'implement/1.1', hold: { ...hold, files: [...hold.files] }, commit: 'c' },
    });
    expect(draw(held.state).slice(2, 4)).toEqual([
      '! implement/1.1 needs you: it changes the test script',
      '  → manyhands diff r0000001 implement/1.1, then manyhands approve r0000001 implement/1.1',
    ]);
  });

  it('shows why and when a task is retried', () => {
    const limited = midway.and(
      attemptEnded('implement/1.2', 1, { failure: failure('rate-limit', 'too many requests') }),
      {
        type: 'task.retrying',
        data: { task: 'implement/1.2', at: T0 + 70_000, counted: false, resume: false, evidence: '' },
      },
    );
    expect(draw(limited.state)[4]).toContain('retry in 0:05: rate-limit: too many requests');
    const switched = limited.and(
      attempted('implement/1.2', 2, { agent: 'two', because: 'one is rate-limited until 20:31' }),
    );
    expect(draw(switched.state)[4]).toMatch(/two #2 .*one is rate-limited until 20:31/);
  });

  it('shows the conflict and the task that resolves it', () => {
    const conflict = midway.and(added(spec('resolve/1.1')), {
      type: 'task.conflicted',
      data: { task: 'implement/1.1', onto: 'tip', files: ['src/cart.mjs'], resolver: 'resolve/1.1' },
    });
    expect(draw(conflict.state)[3]).toContain('conflict in src/cart.mjs: resolve/1.1 resolves it');
  });

  it('fits the height of the terminal: active tasks are shown, the rest is counted', () => {
    const many = Array.from({ length: 500 }, (_, index) => spec(`implement/1.${index + 1}`));
    const busy = given(started(), added(...many)).and(attempted('implement/1.250'));
    const lines = draw(busy.state, { rows: 10 });
    expect(lines).toHaveLength(9);
    expect(lines.some((line) => line.startsWith('● implement/1.250'))).toBe(true);
    expect(lines.at(-1)).toBe('  … and 494 ready');
  });

  it('prints no control characters of an agent', () => {
    const lastOutput: [string, string][] = [['implement/1.2', 'x\u001b[2J\u001b]0;title\u0007\u009b31m\nnext\u202e']];
    const line = draw(midway.state, { lastOutput })[4] ?? '';
    expect(line).toContain('“x');
    expect(/\p{Cc}|\u202e/u.test(line)).toBe(false);
  });
});
