import { describe, expect, it } from 'vitest';
import type { RunState } from '../../../src/core/run/state.ts';
import { improve } from '../../../src/recipes/improve/improve.ts';
import type { RunEvent } from '../../../src/schema/event.ts';
import { ImproveInput } from '../../../src/schema/request.ts';
import {
  added,
  attemptEnded,
  attempted,
  evidence,
  given,
  landed,
  type Story,
  started,
  taskEnded,
  worked,
} from '../../support/given.ts';

const ALL = ImproveInput.parse({ yes: true, rounds: 3 });
const spot = (title: string, more: object = {}) => ({
  title,
  category: 'tests',
  description: '',
  measure: { command: 'sh count.sh', metric: 'number', better: 'lower' },
  value: 'medium',
  effort: 'medium',
  ...more,
});
const BASE_CHECKED: RunEvent = { type: 'run.base-checked', data: { tree: 'base', evidence: [] } };

function next(state: RunState, input = ALL) {
  return improve.unfold(state, input, undefined);
}

function measured(task: string, gate: string, before: number | null, after: number | null = null): RunEvent {
  const verdict = before === null ? 'not-applicable' : 'pass';
  return {
    type: 'gate.ended',
    data: { tasks: [task], commit: 'tip', evidence: { ...evidence(gate, verdict), measured: { before, after } } },
  };
}

/** Lets a discovery answer, and each of its commands show a number. */
function discovered(story: Story, spots: object[], shown: (number | null)[], input = ALL): Story {
  const { add } = next(story.state, input);
  const key = add[0]?.key ?? '';
  const round = key.split('/')[1];
  const found = story.and(
    added(...add),
    attempted(key),
    attemptEnded(key, 1, { output: { spots, summary: '' } }),
    taskEnded(key, 'done'),
  );
  return found.and(...shown.map((value, index) => measured(key, `measure ${round}.${index + 1}`, value)));
}

const begun = () => given(started({ recipe: { name: 'improve', version: 1 } }), BASE_CHECKED);

describe('improve', () => {
  it('lets Manyhands run the command of each weak spot before anything is chosen', () => {
    const found = discovered(begun(), [spot('One'), spot('Two')], [3]);
    expect(next(found.state)).toMatchObject({
      add: [],
      measure: {
        task: 'discover/1',
        commands: [{ name: 'measure 1.2', run: 'sh count.sh', measure: { metric: 'number' } }],
      },
    });
  });

  it('refuses commands that show the same whatever the code does', () => {
    const task = discovered(begun(), [], []).state.tasks['discover/1'];
    if (task === undefined) throw new Error('there is no task');
    const empty = {
      spots: [spot('x', { measure: { command: 'true', metric: 'exit', better: 'lower' } })],
      summary: '',
    };
    expect(improve.accept?.(task, empty)).toContain('shows the same');
    expect(improve.accept?.(task, { spots: [spot('x')], summary: '' })).toBeUndefined();
  });

  it('improves the best ones first, and drops what its command does not show', () => {
    const exit = { measure: { command: 'npm test', metric: 'exit', better: 'lower' } };
    const spots = [spot('Low', { value: 'low' }), spot('Silent'), spot('High', { value: 'high' }), spot('Green', exit)];
    const { add } = next(discovered(begun(), spots, [3, null, 2, 0]).state);
    expect(add.map(({ key }) => key)).toEqual(['improve/1.3', 'improve/1.1']);
    expect(add[0]?.gates.at(-1)).toMatchObject({ gate: 'command', own: true, measure: { better: 'lower' } });
    const one = ImproveInput.parse({ top: 1 });
    expect(next(discovered(begun(), spots, [3, null, 2, 0], one).state, one).add).toHaveLength(1);
  });

  it('asks which ones to improve, and improves those that a person names', () => {
    const ask = ImproveInput.parse({});
    const found = discovered(begun(), [spot('One'), spot('Two'), spot('Three')], [1, 2, 3], ask);
    const { hold } = next(found.state, ask);
    expect(hold?.options?.map(({ id }) => id)).toEqual(['all', '1.1', '1.2', '1.3', 'listed']);
    expect(hold?.reason).toContain('now: 2, by `sh count.sh`');
    const state = structuredClone(found.state);
    const answer = { hold: 'h1', task: null, what: 'plan' as const, subject: 'discover/1', choice: 'approve' as const };
    state.answers.push({ ...answer, option: 'listed', note: '1,3', at: 0, origin: null });
    expect(next(state, ask).add.map(({ key }) => key)).toEqual(['improve/1.1', 'improve/1.3']);
  });

  it('stops when a round finds nothing, and does not try again what did not help', () => {
    expect(next(discovered(begun(), [], []).state)).toEqual({ add: [] });
    const first = discovered(begun(), [spot('Slow import of files')], [3]);
    const failed = first.and(added(...next(first.state).add), taskEnded('improve/1.1', 'failed'));
    expect(improve.shortfall?.(failed.state, ALL)).toContain('nothing was kept');
    expect(next(failed.state).add[0]?.prompt).toContain('Slow import of files: not kept');
    const again = discovered(failed, [spot('Files are imported slowly: import slow')], [3]);
    expect(next(again.state)).toEqual({ add: [] });
    expect(improve.progress?.(again.state, ALL)).toMatchObject({
      stop: 'round 2 found nothing new that a command shows',
    });
  });

  it('drops a round that makes worse what an earlier one improved', () => {
    const keep = (story: Story, key: string, before: number, after: number) =>
      story.and(
        added(...next(story.state).add),
        ...worked(key),
        measured(key, `measure ${key.split('/')[1]}`, before, after),
        landed(key),
      );
    const first = keep(discovered(begun(), [spot('One')], [3]), 'improve/1.1', 3, 1);
    const second = keep(discovered(first, [spot('Other thing')], [9]), 'improve/2.1', 9, 5);
    const names = next(second.state).measure?.commands.map(({ name }) => name);
    expect(names).toEqual(['after 1.1', 'after 2.1']);
    const worse = second.and(measured('discover/2', 'after 1.1', 4), measured('discover/2', 'after 2.1', 5));
    expect(next(worse.state)).toMatchObject({ add: [], keep: { reason: expect.stringContaining('made 1.1 worse') } });
    const same = second.and(measured('discover/2', 'after 1.1', 1), measured('discover/2', 'after 2.1', 5));
    expect(next(same.state).add.map(({ key }) => key)).toEqual(['discover/3']);
  });

  it('stops when its budget or its time is used up', () => {
    const found = discovered(begun(), [spot('One')], [3]);
    const failure = { kind: 'budget' as const, message: 'the budget is used', limit: 'run-budget' as const };
    const out = found.and(added(...next(found.state).add), taskEnded('improve/1.1', 'failed', failure));
    expect(next(out.state)).toEqual({ add: [] });
    expect(improve.progress?.(out.state, ALL)).toMatchObject({ stop: 'the budget is used' });
  });
});
