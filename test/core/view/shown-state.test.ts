import { describe, expect, it } from 'vitest';
import { evolve } from '../../../src/core/run/evolve.ts';
import type { RunState } from '../../../src/core/run/state.ts';
import { runDocument } from '../../../src/core/view/document.ts';
import { asRunState, shownState } from '../../../src/core/view/shown-state.ts';
import type { RunEvent } from '../../../src/schema/event.ts';
import {
  added,
  attemptEnded,
  attempted,
  landed,
  landing,
  spec,
  started,
  taskEnded,
  worked,
} from '../../support/given.ts';

const COUNT = 10_000;
const MOST_BYTES = 9_000_000;
const LONG = 'word '.repeat(400);
const KEYS = Array.from({ length: COUNT }, (_, index) => `bulk/${index + 1}`);
const EVIDENCE = {
  gate: 'check-1',
  verdict: 'pass' as const,
  tree: 'a'.repeat(40),
  definition: 'b'.repeat(64),
  setup: 'c'.repeat(64),
  summary: LONG,
  output: LONG,
  exitCode: 0,
  durationMs: 12,
  reused: false,
};

describe('the state that is sent to viewers', () => {
  it('is small for ten thousand tasks, and what is folded onto it shows the same as on the whole', () => {
    const whole = fold(undefined, [started({ input: { prompt: LONG.repeat(10) } }), ...begun()]);
    const shown = copied(shownState(whole));
    expect(JSON.stringify(whole).length).toBeGreaterThan(5 * MOST_BYTES);
    expect(JSON.stringify(shown).length).toBeLessThan(MOST_BYTES);
    expect(shown.tasks['bulk/1']?.spec.prompt).toBe('');
    const later = fold(copied(whole), tail());
    const onShown = fold(shown, tail());
    expect(visible(onShown)).toEqual(visible(later));
    const facts = ({ spent, reserved, tip, counts, running, ready, dependents }: RunState) =>
      ({ spent, reserved, tip, counts, running, ready, dependents }) as const;
    expect(facts(onShown)).toEqual(facts(later));
  });

  it('has the texts of a plan that waits for approval, which a person reads first', () => {
    const plan = added(spec('a', { prompt: 'Count an item that is added twice.' }));
    const hold = { what: 'plan' as const, reason: 'a plan', files: [] };
    const open = fold(undefined, [started(), plan]);
    expect(shownState(open).tasks.a?.spec.prompt).toBe('');
    const held = fold(open, [{ type: 'run.held', data: { hold } }]);
    expect(shownState(held).tasks.a?.spec.prompt).toBe('Count an item that is added twice.');
  });
});

/** Half of them done with evidence, some failed or under way, the rest in line. */
function begun(): RunEvent[] {
  const gates = [
    { gate: 'command' as const, name: 'check-1', run: 'npm test' },
    { gate: 'secrets' as const },
    { gate: 'changed' as const },
  ];
  const specs = KEYS.map((key) => spec(key, { prompt: LONG, gates, needs: key === 'bulk/9999' ? ['bulk/9000'] : [] }));
  const done = KEYS.slice(0, COUNT / 2).flatMap((key) => [
    ...worked(key),
    { type: 'gate.ended' as const, data: { tasks: [key], commit: 'x', evidence: { ...EVIDENCE, tree: key } } },
    landed(key),
  ]);
  const failure = { kind: 'tests' as const, message: LONG, evidence: LONG };
  const failed = ['bulk/6000', 'bulk/6001'].flatMap((key) => [
    attempted(key),
    attemptEnded(key, 1, { summary: LONG, output: { text: LONG.repeat(5) }, failure }),
    taskEnded(key, 'failed', failure),
  ]);
  return [added(...specs), ...done, ...failed, attempted('bulk/7000'), attempted('bulk/9000')];
}

/** What may happen afterwards: ends, landings, retries, holds, a new task. */
function tail(): RunEvent[] {
  return [
    attemptEnded('bulk/7000', 1, { usage: { kind: 'unknown' } }),
    landing('bulk/7000'),
    {
      type: 'task.held',
      data: { task: 'bulk/7000', commit: 'y', hold: { what: 'guard', reason: 'look', files: ['a'] } },
    },
    { type: 'task.approved', data: { task: 'bulk/7000' } },
    landed('bulk/7000'),
    attemptEnded('bulk/9000'),
    landing('bulk/9000'),
    landed('bulk/9000'),
    { type: 'run.reopened', data: { tasks: ['bulk/6000'], reason: 'again' } },
    attempted('bulk/6000', 2),
    attempted('bulk/9999'),
    { type: 'tasks.invalidated', data: { tasks: ['bulk/9000'], reason: 'wrong' } },
    added(spec('bulk/extra', { needs: ['bulk/9000'] })),
    { type: 'run.paused', data: { reason: 'enough' } },
  ];
}

/** What pages show of a run but for the texts that are cut. */
function visible(state: RunState) {
  const { tasks, result: _, ...document } = runDocument(state);
  const shown = tasks.map(({ evidence, reason: __, diagnosis: ___, ...task }) => ({
    ...task,
    gates: evidence.map(({ gate, verdict, stale }) => ({ gate, verdict, stale })),
  }));
  return { ...document, tasks: shown };
}

function fold(state: RunState | undefined, events: RunEvent[]): RunState {
  let after = state;
  for (const [index, event] of events.entries()) after = evolve(after, { event, at: 1_000 + index });
  if (after === undefined) throw new Error('There must be an event');
  return after;
}

function copied(state: RunState): RunState {
  return asRunState(JSON.parse(JSON.stringify(state)));
}
