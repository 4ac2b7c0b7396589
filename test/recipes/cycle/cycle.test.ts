import { describe, expect, it } from 'vitest';
import type { RunState } from '../../../src/core/run/state.ts';
import { cycle } from '../../../src/recipes/cycle/cycle.ts';
import type { RunEvent } from '../../../src/schema/event.ts';
import { CycleInput } from '../../../src/schema/request.ts';
import {
  added,
  attemptEnded,
  attempted,
  given,
  landed,
  type Story,
  started,
  taskEnded,
  worked,
} from '../../support/given.ts';

type Result = { step: number; result: 'pass' | 'fail'; note: string };
const GOAL = CycleInput.parse({ goal: 'Be good' });
const PLAN = {
  milestones: [
    { title: 'One', description: 'one', check: 'test -e one' },
    { title: 'Two', description: 'two' },
  ],
  contract: { deny: ['vendor/**'], rules: ['Stay compatible'] },
  summary: '',
};
const pass = (step: number, note = 'ran it'): Result => ({ step, result: 'pass', note });
const fail = (step: number): Result => ({ step, result: 'fail', note: 'not there' });

function next(state: RunState, input = GOAL) {
  return cycle.unfold(state, input, undefined);
}

/** What the recipe requests next is added. */
function advance(story: Story, input = GOAL): Story {
  return story.and(added(...next(story.state, input).add));
}

function planned(input = GOAL, plan: unknown = PLAN, generation = 1): (story: Story) => Story {
  const key = `plan/${generation}`;
  return (story) =>
    advance(story.and(attempted(key), attemptEnded(key, 1, { output: plan }), taskEnded(key, 'done')), input);
}

function checked(task: string, verdict: 'pass' | 'fail'): RunEvent {
  const evidence = {
    gate: 'milestone M1',
    verdict,
    tree: 'tree',
    definition: 'm1',
    setup: '',
    summary: `M1 ${verdict}`,
  };
  return {
    type: 'gate.ended',
    data: { tasks: [task], commit: 'c', evidence: { ...evidence, exitCode: 0, durationMs: 1, reused: false } },
  };
}

/** A cycle whose work landed, with what the check of the first milestone came to, and what the reviewer wrote. */
function lived(
  story: Story,
  number: number,
  found: { check: 'pass' | 'fail'; steps: Result[]; findings?: unknown[] },
): Story {
  const key = `cycle/${number}/implement`;
  const review = `cycle/${number}/review`;
  const { check, steps, findings = [] } = found;
  const done = advance(story.and(...worked(key), checked(key, check), landed(key)));
  return done.and(
    attempted(review),
    attemptEnded(review, 1, { output: { steps, findings, summary: '' } }),
    taskEnded(review, 'done'),
  );
}

/** A cycle that landed nothing. */
function idle(story: Story, number: number): Story {
  return story.and(taskEnded(`cycle/${number}/implement`, 'failed', { kind: 'no-change', message: 'nothing' }));
}

const begun = () => planned()(advance(given(started())));
const points = (state: RunState) => cycle.progress?.(state, GOAL)?.points.map(({ status }) => status);

describe('a cycle', () => {
  it('plans milestones first, and then lets one agent implement and another one review', () => {
    const first = given(started());
    expect(next(first.state).add).toMatchObject([{ key: 'plan/1', role: 'assess', access: 'read' }]);
    const story = begun();
    const implement = story.state.tasks['cycle/1/implement']?.spec;
    expect(implement).toMatchObject({ role: 'implement', escalates: true, retry: { attempts: 3 } });
    expect(implement?.gates).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ gate: 'command', name: 'milestone M1', informs: true }),
        expect.objectContaining({ gate: 'scope', deny: ['vendor/**'] }),
      ]),
    );
    expect(implement?.prompt).toContain('Stay compatible');
    const landedWork = story.and(...worked('cycle/1/implement'), landed('cycle/1/implement'));
    expect(next(landedWork.state).add).toMatchObject([
      { key: 'cycle/1/review', role: 'milestones', access: 'read', avoidsAgentOf: 'cycle/1/implement' },
    ]);
  });

  it('ends when a check and the reviewer show every milestone', () => {
    const story = lived(begun(), 1, { check: 'pass', steps: [pass(1), pass(2)] });
    expect(next(story.state)).toEqual({ add: [] });
    expect(cycle.shortfall?.(story.state, GOAL)).toBeUndefined();
    expect(cycle.progress?.(story.state, GOAL)).toMatchObject({
      points: [{ by: 'check' }, { by: 'review', evidence: 'ran it' }],
      rounds: [{ round: 1, done: 2, landed: true }],
    });
  });

  it('does not believe an implementer that claims milestones', () => {
    const key = 'cycle/1/implement';
    const claim = attemptEnded(key, 1, {
      output: { steps: [pass(1), pass(2)] },
      summary: 'All milestones are reached [x]',
    });
    const story = begun().and(attempted(key), claim, taskEnded(key, 'done'));
    expect(points(story.state)).toEqual(['open', 'open']);
  });

  it.each([
    ['as steps', { steps: [pass(1), pass(2)], summary: '' }],
    ['as milestones', { milestones: [{ title: 'One', status: 'done', tick: { by: 'check' } }] }],
    ['as a new plan without them', { ...PLAN, milestones: [] }],
    ['as a verdict', { verdict: 'pass', complete: true }],
    ['as points', { points: [{ id: 'M1', status: 'done', by: 'review' }] }],
  ])('does not believe an implementer whose landed work claims them %s', (_, output) => {
    const key = 'cycle/1/implement';
    const claim = attemptEnded(key, 1, { output, summary: '- [x] M1\n- [x] M2\nSTEP 1: PASS\nSTEP 2: PASS' });
    const story = begun().and(attempted(key), claim, checked(key, 'pass'), landed(key));
    expect(points(story.state)).toEqual(['open', 'open']);
    const silent = advance(story).and(taskEnded('cycle/1/review', 'failed', { kind: 'bad-output', message: 'none' }));
    expect(points(silent.state)).toEqual(['open', 'open']);
  });

  it.each([
    ['calls it failed and passed', 'pass' as const, [fail(1), pass(1)]],
    ['ticks it by a mark alone', 'pass' as const, [pass(1, '✓')]],
    ['ticks it by a characterless note', 'pass' as const, [pass(1, '\u200b ')]],
    ['ticks another number', 'pass' as const, [pass(0), pass(11)]],
    ['ticks it twice against the check', 'fail' as const, [pass(1), pass(1)]],
  ])('does not believe a reviewer that %s', (_, check, steps) => {
    expect(points(lived(begun(), 1, { check, steps }).state)).toEqual(['open', 'open']);
  });

  it('does not believe a reviewer about a check that did not run', () => {
    const key = 'cycle/1/implement';
    const review = 'cycle/1/review';
    const done = advance(begun().and(...worked(key), landed(key)));
    const story = done.and(
      attempted(review),
      attemptEnded(review, 1, { output: { steps: [pass(1)], findings: [], summary: '' } }),
      taskEnded(review, 'done'),
    );
    expect(points(story.state)).toEqual(['open', 'open']);
  });

  it('does not believe a reviewer that ticks what the check contradicts', () => {
    const story = lived(begun(), 1, { check: 'fail', steps: [pass(1), pass(2)] });
    expect(points(story.state)).toEqual(['open', 'done']);
    expect(next(story.state).add).toMatchObject([{ key: 'cycle/2/implement', title: 'Cycle 2: One' }]);
  });

  it('ticks no milestone by its check alone, also if a person approved the plan', () => {
    expect(points(lived(begun(), 1, { check: 'pass', steps: [] }).state)).toEqual(['open', 'open']);
    const input = { ...GOAL, planOnly: true };
    const story = planned(input)(advance(given(started()), input));
    const { hold } = next(story.state, input);
    expect(hold).toMatchObject({ what: 'plan', subject: 'plan/1', reason: expect.stringContaining('test -e one') });
    if (hold === undefined) throw new Error('it was not held');
    const read = advance(story.and({ type: 'run.held', data: { hold } }, { type: 'run.approved', data: {} }), input);
    expect(points(lived(read, 1, { check: 'pass', steps: [] }).state)).toEqual(['open', 'open']);
    expect(points(lived(read, 1, { check: 'pass', steps: [pass(1)] }).state)).toEqual(['done', 'open']);
  });

  it('opens a milestone again when its check fails later, or the reviewer finds so', () => {
    const first = lived(begun(), 1, { check: 'pass', steps: [pass(1), fail(2)] });
    const second = lived(advance(first), 2, { check: 'fail', steps: [pass(2)] });
    expect(points(second.state)).toEqual(['open', 'done']);
    expect(cycle.progress?.(second.state, GOAL)?.rounds.map(({ done }) => done)).toEqual([1, 0]);
  });

  it('gives a planner whose check always passes, or a reviewer without evidence, one more turn', () => {
    const { state } = begun();
    const refuse = (key: string, output: unknown) => {
      const task = state.tasks[key];
      return task === undefined ? undefined : cycle.accept?.(task, output);
    };
    for (const check of ['true', ':', 'exit 0', 'npm test || true', 'echo ok', ' '])
      expect(refuse('plan/1', { milestones: [{ title: 'A', description: 'a', check }] })).toBeDefined();
    expect(refuse('plan/1', PLAN)).toBeUndefined();
    expect(refuse('plan/1', { milestones: [PLAN.milestones[1], PLAN.milestones[1]] })).toContain('two milestones');
    const reviewed = advance(begun().and(...worked('cycle/1/implement'), landed('cycle/1/implement'))).state;
    const review = reviewed.tasks['cycle/1/review'];
    if (review === undefined) throw new Error('there is no review');
    expect(cycle.accept?.(review, { steps: [pass(1, ' ')], findings: [], summary: '' })).toContain('without evidence');
  });

  it('plans once more after two cycles without a tick or a landed change, and then asks a person', () => {
    const stuck = idle(advance(idle(begun(), 1)), 2);
    expect(next(stuck.state).add).toMatchObject([
      { key: 'plan/2', continues: 'plan/1', because: expect.stringContaining('2 cycles') },
    ]);
    const again = planned(GOAL, { milestones: [{ title: 'Smaller', description: 's' }] }, 2)(advance(stuck));
    expect(again.state.tasks['cycle/3/implement']?.spec.title).toBe('Cycle 3: Smaller');
    const { hold } = next(idle(advance(idle(again, 3)), 4).state);
    expect(hold).toMatchObject({
      what: 'review',
      subject: 'cycle/4',
      options: [{ id: 'continue' }, { id: 'replan' }, { id: 'finish' }],
    });
    expect(hold?.reason).toContain('0 of 1 milestones reached');
  });

  it('continues, plans again or ends as the person decides', () => {
    const first = idle(advance(idle(begun(), 1)), 2);
    const stuck = idle(advance(idle(planned(GOAL, PLAN, 2)(advance(first)), 3)), 4);
    const { hold } = next(stuck.state);
    if (hold === undefined) throw new Error('it was not held');
    const decided = (option: string) => {
      const { state } = stuck.and({ type: 'run.held', data: { hold } });
      const id = state.status.kind === 'held' ? state.status.hold.id : '';
      return stuck.and(
        { type: 'run.held', data: { hold } },
        { type: 'run.approved', data: { hold: id, option, note: 'smaller' } },
      ).state;
    };
    expect(next(decided('continue')).add.map(({ key }) => key)).toEqual(['cycle/5/implement']);
    expect(next(decided('replan')).add).toMatchObject([{ key: 'plan/3', because: expect.stringContaining('smaller') }]);
    expect(next(decided('finish'))).toEqual({ add: [] });
    expect(cycle.shortfall?.(decided('finish'), GOAL)).toContain('ended by a person');
  });

  it('stops on diminishing returns and on a finding that returns', () => {
    const found = (title: string) => [{ severity: 'high', title, description: 'd', file: 'a.ts', line: 3 }];
    const nothing = { check: 'fail' as const, steps: [] };
    let slow = begun();
    for (const number of [1, 2, 3])
      slow = number < 3 ? advance(lived(slow, number, nothing)) : lived(slow, number, nothing);
    expect(next(slow.state).add).toMatchObject([{ key: 'plan/2', because: expect.stringContaining('on average') }]);
    const one = lived(begun(), 1, { check: 'pass', steps: [pass(1)], findings: found('Total is negative') });
    const two = lived(advance(one), 2, { check: 'pass', steps: [], findings: found('Cart is empty') });
    const three = lived(advance(two), 3, { check: 'pass', steps: [], findings: found('The total is negative again') });
    expect(next(three.state).add).toMatchObject([{ key: 'plan/2', because: expect.stringContaining('returned') }]);
  });

  it('ends with what it has when money or time is used up, and says what is missing', () => {
    const story = advance(lived(begun(), 1, { check: 'pass', steps: [pass(1)] }));
    const failure = { kind: 'timeout', message: 'the run stopped at its deadline', limit: 'deadline' } as const;
    const out = story.and(taskEnded('cycle/2/implement', 'failed', failure));
    expect(next(out.state)).toEqual({ add: [] });
    expect(cycle.shortfall?.(out.state, GOAL)).toBe('1 of 2 milestones reached; the run stopped at its deadline');
  });

  it('asks a person when the cycles are used, and never runs more than requested', () => {
    const input = { ...GOAL, cycles: 1 };
    const story = lived(begun(), 1, { check: 'pass', steps: [pass(1)] });
    expect(next(story.state, input).hold?.reason).toBe('1 of 2 milestones reached; its one cycle is used');
    expect(cycle.shortfall?.(story.state, { ...GOAL, threshold: 0.5 })).toBeUndefined();
  });

  it('verifies the whole result step by step, and fixes what fails there', () => {
    const input = { ...GOAL, steps: ['Open the page'] };
    const done = lived(begun(), 1, { check: 'pass', steps: [pass(1), pass(2)] });
    expect(next(done.state, input).add).toMatchObject([{ key: 'cycle/1/verify', role: 'verify' }]);
    const verified = (result: 'pass' | 'fail') =>
      advance(done, input).and(
        attempted('cycle/1/verify'),
        attemptEnded('cycle/1/verify', 1, {
          output: { steps: [{ step: 1, result, note: 'blank page' }], summary: '' },
        }),
        taskEnded('cycle/1/verify', 'done'),
      ).state;
    expect(next(verified('pass'), input)).toEqual({ add: [] });
    expect(next(verified('fail'), input).add).toMatchObject([
      { key: 'cycle/2/implement', prompt: expect.stringContaining('blank page') },
    ]);
  });

  it('has prompts that do not grow with the number of cycles', () => {
    const findings = [{ severity: 'low', title: 'A', description: 'x'.repeat(5_000) }];
    let story = begun();
    const sizes: number[] = [];
    for (let number = 1; number <= 50; number += 1) {
      sizes.push(story.state.tasks[`cycle/${number}/implement`]?.spec.prompt.length ?? 0);
      const steps = number % 2 === 0 ? [pass(2)] : [fail(2)];
      const lastStory = lived(story, number, { check: 'fail', steps, findings });
      const { state } = lastStory;
      if (number < 50)
        story = lastStory.and(
          added({
            ...(story.state.tasks['cycle/1/implement']?.spec ?? never()),
            key: `cycle/${number + 1}/implement`,
            prompt: promptAfter(state),
          }),
        );
    }
    expect(Math.max(...sizes.slice(10)) / (sizes[9] ?? 1)).toBeLessThanOrEqual(1.2);
  });

  it('warns about a plan of more than 22 milestones', () => {
    const milestones = Array.from({ length: 23 }, (_, index) => ({ title: `T${index}`, description: 'd' }));
    const story = planned(GOAL, { milestones })(advance(given(started())));
    expect(cycle.progress?.(story.state, GOAL)?.warnings).toEqual([expect.stringContaining('23 milestones')]);
  });
});

function never(): never {
  throw new Error('there is no such task');
}

/** The prompt of the next implementation, or of the next plan where it would plan again. */
function promptAfter(state: RunState): string {
  return next(state).add[0]?.prompt ?? '';
}
