import { describe, expect, it } from 'vitest';
import { retryTasks } from '../../../src/core/run/decide-run.ts';
import { runDocument } from '../../../src/core/view/document.ts';
import { added, attempted, evidence, given, landed, spec, started, worked } from '../../support/given.ts';

function chain() {
  return given(
    started(),
    added(spec('node/1'), spec('node/2', { needs: ['node/1'] }), spec('node/3', { needs: ['node/2'] }), spec('node/4')),
    ...worked('node/1'),
    { type: 'gate.ended', data: { tasks: ['node/1'], commit: 'tip', evidence: evidence('npm test', 'pass') } },
    landed('node/1'),
    ...worked('node/2'),
    landed('node/2'),
    ...worked('node/3'),
    landed('node/3'),
    ...worked('node/4'),
    landed('node/4'),
  );
}

describe('trying a done task again', () => {
  it('invalidates it and all tasks that depend on it, and nothing else', () => {
    const { state, events } = chain().when((run) => retryTasks(run, { task: 'node/2', reason: 'a new wish' }));
    expect(events).toEqual([
      { type: 'tasks.invalidated', data: { tasks: ['node/2', 'node/3'], reason: 'a new wish' } },
    ]);
    expect(['node/1', 'node/2', 'node/3', 'node/4'].map((key) => state.tasks[key]?.phase.status)).toEqual([
      'done',
      'ready',
      'waiting',
      'done',
    ]);
    const { invalidated, status, tasks } = runDocument(state);
    expect([invalidated, status]).toEqual([['node/2', 'node/3'], 'needs-rerun']);
    expect(tasks.map((task) => task.status)).toEqual(['done', 'ready', 'needs-rerun', 'done']);
  });

  it('makes its evidence stale and starts again from the current tip', () => {
    const { state } = chain().when((run) => retryTasks(run, { task: 'node/1', reason: 'again' }));
    expect(state.tasks['node/1']?.evidence).toMatchObject([{ stale: true }]);
    expect(state.tasks['node/1']?.from).toEqual({ commit: 'tip', base: 'tip' });
  });

  it('opens an ended run again, and forgets what was invalidated once it is done again', () => {
    const ended = chain().and({
      type: 'run.ended',
      data: { status: 'done', reason: 'all', spend: { costUsd: 0, tokens: 0, turns: 0 } },
    });
    const again = ended.when((run) => retryTasks(run, { task: 'node/3', reason: 'again' }));
    expect(again.state.status.kind).toBe('running');
    const { state } = again.and(...worked('node/3', 2), landed('node/3'));
    expect(state.invalidated).toEqual([]);
  });

  it('starts dependents from the tip at the time when they start', () => {
    const again = chain().when((run) => retryTasks(run, { task: 'node/2', reason: 'again' }));
    const { state } = again.and(...worked('node/2', 2), {
      type: 'tasks.landed',
      data: { tasks: ['node/2'], from: 'tip', commit: 'tip-2', tree: 'tree-2' },
    });
    expect(state.tasks['node/3']?.phase.status).toBe('ready');
    expect(state.tasks['node/3']?.from).toEqual({ commit: 'tip-2', base: 'tip-2' });
  });

  it('leaves a task that its recipe renews as it is, until another task of that name is done', () => {
    const named = { name: 'look', renewed: true };
    const again = given(
      started(),
      added(spec('node/1'), spec('node/2', { needs: ['node/1'], ...named })),
      ...worked('node/1'),
      landed('node/1'),
      ...worked('node/2'),
      landed('node/2'),
    ).when((run) => retryTasks(run, { task: 'node/1', reason: 'again' }));
    expect(again.state.tasks['node/2']?.phase.status).toBe('done');
    expect(again.state.invalidated).toEqual(['node/1', 'node/2']);
    const { state } = again.and(
      ...worked('node/1', 2),
      landed('node/1'),
      added(spec('node/2/2', { needs: ['node/1'], ...named })),
      ...worked('node/2/2'),
      landed('node/2/2'),
    );
    expect(state.invalidated).toEqual([]);
  });

  it('is rejected while a task that depends on it is in progress', () => {
    const { state } = given(
      started(),
      added(spec('node/1'), spec('node/2', { needs: ['node/1'] })),
      ...worked('node/1'),
      landed('node/1'),
      attempted('node/2'),
    );
    expect(() => retryTasks(state, { task: 'node/1', reason: 'again' })).toThrow(/node\/2 depends on node\/1/);
  });
});
