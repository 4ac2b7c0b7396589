import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../src/access/caller.ts';
import { createStepLines, NOTHING_NOW, showClosing } from '../../../src/cli/follow/show-steps.ts';
import type { CurrentActivity } from '../../../src/core/view/activity.ts';
import type { LiveAttempt } from '../../../src/schema/overview.ts';
import { fakeWorld } from '../test-platform.ts';

const START = Date.UTC(2026, 0, 1, 12);

function step(what: string, more: Partial<CurrentActivity['activity'][number]> = {}): CurrentActivity {
  const since = new Date(START).toISOString();
  return { ...NOTHING_NOW, activity: [{ tasks: [], kind: 'check', what, detail: null, since, ...more }] };
}

/** Shows what is done now for some seconds; returns the second and the text of each printed line. */
function printedIn(seconds: number, current: (second: number) => CurrentActivity): { second: number; text: string }[] {
  const world = fakeWorld(START);
  const printed: { second: number; text: string }[] = [];
  const terminal = {
    err: (line: string) => printed.push({ second: (world.now() - START) / 1000, text: line.slice(10).trimEnd() }),
  };
  using lines = createStepLines(terminal, world);
  for (let second = 0; second < seconds; second += 1) {
    lines.show(current(second));
    world.advance(500);
    world.advance(500);
  }
  return printed;
}

describe('what an engine still does after its command', () => {
  it('is shown by run, and until the last file is closed', async () => {
    const world = fakeWorld(START);
    const printed: string[] = [];
    const since = new Date(START).toISOString();
    const removing = {
      tasks: ['task/1'],
      labels: ['login'],
      kind: 'workspace',
      what: 'removes its workspace',
      detail: null,
      since,
    };
    const run = { run: 'k3v9x2ab', status: 'done', activity: [removing], waitsFor: null, live: [], updatedAt: since };
    const over = Promise.withResolvers<void>();
    async function* stream() {
      yield { run };
      await over.promise;
    }
    // Only what a closing program reads and writes.
    const platform = { terminal: { err: (line: string) => printed.push(line.slice(10).trimEnd()) }, world } as never;
    const closing = showClosing(platform, { stream } as unknown as Caller);
    const wait = async () => {
      for (let half = 0; half < 8; half += 1) {
        world.advance(500);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await wait();
    over.resolve();
    await wait();
    await closing[Symbol.asyncDispose]();
    expect(printed).toEqual(['k3v9x2ab  removes its workspace (2.0s)', 'engine  closes its files and ends (1.0s)']);
  });
});

describe('what is done now, without a terminal', () => {
  it('is printed after 2 seconds and then at least every 5, with its last line', () => {
    const printed = printedIn(14, (second) => step('set-up: npm ci', { detail: `package ${second}` }));
    expect(printed.map(({ second }) => second)).toEqual([2, 5.5, 9, 12.5]);
    expect(printed[0]?.text).toBe('run  set-up: npm ci (2.0s): package 1');
  });

  it('leaves no gap over 5 seconds while short steps follow each other', () => {
    const printed = printedIn(20, (second) =>
      step(`step ${second}`, { since: new Date(START + second * 1000).toISOString() }),
    );
    const gaps = printed.map(({ second }, index) => second - (printed[index - 1]?.second ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(5);
  });

  it('is what the run waits for, or what its agents do', () => {
    const until = new Date(START + 3_600_000).toISOString();
    const waits: CurrentActivity = {
      ...NOTHING_NOW,
      waitsFor: { kind: 'agent', text: 'claude is rate-limited', until, task: 'a' },
    };
    expect(printedIn(2, () => waits)[0]?.text).toMatch(/^run {2}waits: claude is rate-limited until \d\d:\d\d$/);
    const soon = new Date(START + 12_000).toISOString();
    const retry: CurrentActivity = {
      ...NOTHING_NOW,
      waitsFor: { kind: 'retry', text: 'login waits for its retry', until: soon, task: 'a' },
    };
    expect(printedIn(2, () => retry)[0]?.text).toBe('run  login waits for its retry (10s left)');
    const named = step('npm test', { tasks: ['task/1', 'task/2'], labels: ['login', 'logout'] });
    expect(printedIn(2, () => named)[0]?.text).toBe('login and 1 more  npm test (2.0s)');
    const live = { task: 'a', agent: 'claude', activity: 'Edit: a.ts', startedAt: START } as LiveAttempt; // The other fields are not read.
    expect(printedIn(2, () => ({ ...NOTHING_NOW, live: [live] }))[0]?.text).toBe('a  claude works (2.0s): Edit: a.ts');
  });

  it('is nothing while nothing is done', () => {
    expect(printedIn(10, () => NOTHING_NOW)).toEqual([]);
  });
});
