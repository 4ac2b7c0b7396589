import { describe, expect, it } from 'vitest';
import {
  mayStartFromBase,
  moveToBase,
  recordBaseCheck,
  recordStart,
  shareProofs,
} from '../../../src/core/run/decide-start.ts';
import { added, attempted, evidence, given, spec, started } from '../../support/given.ts';

const fresh = given(started(), added(spec('a', { fresh: true }), spec('b')));
const move = { task: 'a', tip: 'base', base: 'newer', commit: 'merge', tree: 'merge-tree' };

describe('the start of a run', () => {
  it('is recorded with everything that the run is pinned to', () => {
    const { data } = started({ title: 'Round prices' });
    expect(given(recordStart(data)).state.start).toEqual(data);
  });

  it('records the check of the base once', () => {
    const found = [evidence('test', 'pass', 'base-tree')];
    const checked = fresh.when((state) => recordBaseCheck(state, { tree: 'base-tree', evidence: found }));
    expect([checked.state.baseEvidence, checked.state.tip.tree]).toEqual([found, 'base-tree']);
    expect(recordBaseCheck(checked.state, { tree: 'other', evidence: [] })).toEqual([]);
  });

  it('shares what passed with later runs, and neither failures nor errors nor what was reused', () => {
    const reused = { ...evidence('lint', 'pass'), reused: true };
    const shared = shareProofs([
      evidence('test', 'pass'),
      evidence('lint', 'fail'),
      evidence('build', 'error'),
      reused,
    ]);
    expect(shared).toEqual([{ type: 'project.proved', data: { evidence: evidence('test', 'pass') } }]);
  });
});

describe('a task that starts from the current base', () => {
  it('starts from the merge of the run branch with the base', () => {
    const { state } = fresh.when((current) => moveToBase(current, move));
    expect([state.start.base.commit, state.tip]).toEqual(['newer', { commit: 'merge', tree: 'merge-tree' }]);
  });

  it.each([
    ['another task runs', fresh.and(attempted('b')), 'a'],
    ['it was started before', fresh.and(attempted('a')), 'a'],
    ['it does not ask for it', fresh, 'b'],
    ['there is no such task', fresh, 'c'],
  ])('stays on the run branch when %s', (_, story, task) => {
    expect(mayStartFromBase(story.state, task)).toBe(false);
    expect(moveToBase(story.state, { ...move, task })).toEqual([]);
  });

  it('stays on the run branch when that moved after the merge was made', () => {
    expect(moveToBase(fresh.state, { ...move, tip: 'earlier' })).toEqual([]);
  });
});
