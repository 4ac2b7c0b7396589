import { describe, expect, it } from 'vitest';
import {
  recordRemovedBranch,
  reportToModels,
  reportToProject,
  rewindRun,
  undoLanding,
} from '../../../src/core/finish/decide-finish.ts';
import { recordGate } from '../../../src/core/land/decide-landing.ts';
import { recordBaseLanding, recordPushedBranch } from '../../../src/core/land/decide-run-landing.ts';
import {
  added,
  attemptEnded,
  attempted,
  evidence,
  given,
  landed,
  spec,
  started,
  used,
  worked,
} from '../../support/given.ts';

const story = given(started(), added(spec('a')), ...worked('a'), landed('a'));
const undo = { branch: 'main', commit: 'revert', from: 'merge', reason: 'it was wrong' };

describe('the end of a run', () => {
  it('moves the run branch back to the commit on which the recipe ends it', () => {
    const back = { commit: 'better', tree: 'better-tree', reason: 'the last round made it worse' };
    const rewound = story.when((state) => rewindRun(state, back));
    expect(rewound.state.tip).toEqual({ commit: 'better', tree: 'better-tree' });
    expect(rewindRun(rewound.state, back)).toEqual([]);
  });

  it('reports its cost to the project, and the proofs of exactly the tree that it leaves', () => {
    const { state } = story.and(
      ...recordGate(['a'], 'old', evidence('test', 'pass', 'old-tree')),
      ...recordGate(['a'], 'tip', evidence('test', 'pass', 'tree')),
    );
    expect(reportToProject(state, () => undefined)).toEqual([
      { type: 'project.spent', data: { run: 'r0000001', spend: state.spent } },
      { type: 'project.proved', data: { evidence: evidence('test', 'pass', 'tree') } },
    ]);
  });

  it('reports to the models what the checks decided about each agent', () => {
    const [event] = reportToModels(story.state, { status: 'done', reason: 'done', at: 0 });
    expect(event).toMatchObject({ type: 'model.judged', data: { run: 'r0000001', project: 'project' } });
  });

  it('reports a benchmark as a benchmark, not as work of the project', () => {
    const bench = { kind: 'code' as const, settings: '/project' };
    const run = given(started({ bench }), added(spec('a')), attempted('a'), attemptEnded('a', 1, { usage: used(0.5) }));
    const [event] = reportToModels(run.state, { status: 'done', reason: 'done', at: 0 });
    expect(event).toMatchObject({ type: 'model.benched', data: { kind: 'code', agent: 'one' } });
  });
});

describe('what is reverted in the repository', () => {
  const onBase = story.and(...recordBaseLanding({ branch: 'main', commit: 'merge', tip: 'tip', from: 'base' }));

  it('is the landing, once', () => {
    const undone = onBase.when((state) => undoLanding(state, undo));
    expect(undone.state.undone).toMatchObject({ branch: 'main', commit: 'revert' });
    expect(() => undoLanding(undone.state, undo)).toThrow('was already undone');
  });

  it('is no longer undone after the run landed again', () => {
    const again = onBase
      .when((state) => undoLanding(state, undo))
      .and(...recordBaseLanding({ branch: 'main', commit: 'merge-2', tip: 'tip', from: 'revert' }));
    expect(again.state.undone).toBeNull();
  });

  it('is the branch, whose commit stays under a ref', () => {
    const pushed = story.when((state) => recordPushedBranch(state, { branch: 'mh/r0000001', commit: 'tip' }));
    const removed = pushed.when(() => recordRemovedBranch({ branch: 'mh/r0000001', commit: 'tip', ref: 'refs/kept' }));
    expect(removed.state.pushed).toBeNull();
    expect(removed.events).toEqual([
      { type: 'run.branch-removed', data: { branch: 'mh/r0000001', commit: 'tip', ref: 'refs/kept' } },
    ]);
  });
});
