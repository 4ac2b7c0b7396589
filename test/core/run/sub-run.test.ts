import { describe, expect, it } from 'vitest';
import { startAttempt } from '../../../src/core/attempt/decide-attempt.ts';
import { cancelRun, endRun } from '../../../src/core/run/decide-run.ts';
import {
  changeSubRun,
  endSubRun,
  findRequestedRun,
  reasonToCancel,
  requestRun,
  subRunStart,
} from '../../../src/core/run/sub-run.ts';
import { runMoney } from '../../../src/core/schedule/budget.ts';
import { attention, isStuck } from '../../../src/core/view/attention.ts';
import { runDocument } from '../../../src/core/view/document.ts';
import { added, given, type Story, spec, started, taskEnded } from '../../support/given.ts';

const REQUEST = { parent: 'job/1', attempt: 1, call: 'c1', title: 'Side', prompt: 'Do the side' };
const CHILD = { run: 'r0000002', recipe: { name: 'job', version: 1 }, input: { task: 'Do the side' } };
const ENDED = { run: CHILD.run, status: 'done' as const, reason: 'ok', costUsd: 0.5 };

const running = (start = {}, config = {}, reservedUsd = 4) =>
  given(started(start, config), added(spec('job/1'))).when((state) =>
    startAttempt(state, {
      task: 'job/1',
      agent: 'one',
      because: '',
      base: 'base',
      reservation: { costUsd: reservedUsd, tokens: 0, turns: 0 },
    }),
  );
const request = (story: Story, more: Partial<typeof REQUEST> = {}, run = CHILD.run) =>
  story.when((state) => requestRun(state, { ...REQUEST, ...more }, run));

describe('a run that an agent starts', () => {
  it('inherits project, settings and agents, with a share of the reservation, and lands on a branch of its own', () => {
    const { state } = running({ land: 'merge', landEach: true }, { budget: { run: 10, attempt: 4 } });
    const start = subRunStart(state, REQUEST, CHILD);
    expect(start).toMatchObject({
      run: CHILD.run,
      title: 'Side',
      project: state.start.project,
      base: state.start.base,
      land: 'branch',
      parent: { run: state.start.run, task: 'job/1', depth: 1 },
      config: { budget: { run: 1, attempt: 1 } },
    });
    expect(start.landEach).toBeUndefined();
    expect(start.agents).toEqual(state.start.agents);
  });

  it('is the same one for the same call and for the same request, unless it failed', () => {
    const story = request(running());
    const other = { ...REQUEST, call: 'c2' };
    expect(findRequestedRun(story.state, REQUEST)?.run).toBe(CHILD.run);
    expect(findRequestedRun(story.state, other)?.run).toBe(CHILD.run);
    const failed = story.when((state) => endSubRun(state, { ...ENDED, status: 'failed' }));
    expect(findRequestedRun(failed.state, other)).toBeUndefined();
    expect(findRequestedRun(failed.state, REQUEST)?.run).toBe(CHILD.run);
  });

  it('is limited in number, depth and money', () => {
    let story = running();
    for (let index = 0; index < 5; index += 1) story = request(story, { call: `${index}` }, `r000001${index}`);
    expect(() => request(story, { call: 'x' })).toThrow('at most 5 sub-runs');
    const deep = running({ parent: { run: 'r0000009', task: 'job/1', depth: 2 } });
    expect(() => request(deep)).toThrow('2 levels deep');
    const poor = running({}, { budget: { run: 5, attempt: 4 } });
    const once = request(poor);
    expect(runMoney(once.state)).toEqual({ spentUsd: 0, reservedUsd: 5 });
    expect(() => request(once, { call: 'y' })).toThrow('has $0.00 left');
    const ended = once.when((state) => endSubRun(state, ENDED));
    expect(runMoney(ended.state)).toEqual({ spentUsd: 0.5, reservedUsd: 4 });
  });

  it('keeps its run from ending, and counts as waiting when it waits for a person', () => {
    const story = request(running()).and(taskEnded('job/1', 'done'));
    expect(() => endRun(story.state, { status: 'done', reason: '' })).toThrow('open sub-run');
    expect(isStuck(story.state)).toBe(false);
    const waits = story.when((state) => changeSubRun(state, { run: CHILD.run, waitsFor: 'approve the plan' }));
    expect(waits.when((state) => changeSubRun(state, { run: CHILD.run, waitsFor: 'approve the plan' })).events).toEqual(
      [],
    );
    expect(isStuck(waits.state)).toBe(true);
    expect(attention(waits.state)).toMatchObject([{ subRun: CHILD.run, nextStep: `manyhands show ${CHILD.run}` }]);
    expect(runDocument(waits.state)).toMatchObject({
      status: 'blocked',
      subRuns: [{ run: CHILD.run, status: 'waiting', reason: 'approve the plan' }],
    });
    const ended = waits.when((state) => endSubRun(state, ENDED));
    expect(ended.when((state) => endSubRun(state, ENDED)).events).toEqual([]);
    expect(attention(ended.state)).toEqual([]);
    expect(endRun(ended.state, { status: 'done', reason: '' })).toHaveLength(1);
  });

  it('is cancelled with its run, and when its task ends without being done', () => {
    const story = request(running());
    const [subRun] = story.state.subRuns ?? [];
    if (subRun === undefined) throw new Error('There is no sub-run');
    expect(reasonToCancel(story.state, subRun)).toBeUndefined();
    expect(reasonToCancel(story.and(taskEnded('job/1', 'done')).state, subRun)).toBeUndefined();
    expect(reasonToCancel(story.and(taskEnded('job/1', 'failed')).state, subRun)?.reason).toContain('is failed');
    const cancelled = story.when((state) => cancelRun(state, 'enough', true));
    expect(reasonToCancel(cancelled.state, subRun)).toMatchObject({ force: true });
    expect(() => request(cancelled, { call: 'z' })).toThrow('starts nothing more');
  });
});
