import { describe, expect, it } from 'vitest';
import {
  type DraftTask,
  draftError,
  editedTasks,
  isSamePlan,
  withChanged,
  withMoved,
  withNewTask,
  withoutTask,
} from '../../../../../src/dashboard/features/run/plan/plan-draft.ts';

function task(id: string, more: Partial<DraftTask> = {}): DraftTask {
  return { id, isNew: false, title: id, description: `do ${id}`, needs: [], priority: 0, ...more };
}

const PLAN = [task('a'), task('b', { needs: ['a'] }), task('c', { needs: ['a', 'b'] })];
const ids = (plan: readonly DraftTask[]) => plan.map(({ id }) => id);

describe('the draft of a plan', () => {
  it('moves a task, and leaves the ends where they are', () => {
    expect(ids(withMoved(PLAN, 'a', 1))).toEqual(['b', 'a', 'c']);
    expect(ids(withMoved(PLAN, 'c', -1))).toEqual(['a', 'c', 'b']);
    expect(withMoved(PLAN, 'a', -1)).toBe(PLAN);
  });

  it('removes a task together with the needs of others for it', () => {
    expect(withoutTask(PLAN, 'a').map(({ id, needs }) => [id, needs])).toEqual([
      ['b', []],
      ['c', ['b']],
    ]);
  });

  it('is sent with keys of existing tasks and local names of new ones', () => {
    const added = withNewTask(withNewTask(PLAN));
    expect(ids(added).slice(3)).toEqual(['new 1', 'new 2']);
    const named = withChanged(added, 'new 1', { title: 'Docs', description: 'Write them', needs: ['a'] });
    expect(editedTasks(named).at(3)).toEqual({
      id: 'new 1',
      title: 'Docs',
      description: 'Write them',
      needs: ['a'],
      priority: 0,
    });
    expect(editedTasks(named).at(1)).toMatchObject({ task: 'b', needs: ['a'] });
  });

  it('says why it cannot be saved', () => {
    expect(draftError(PLAN)).toBeNull();
    expect(draftError([])).toContain('at least one task');
    expect(draftError(withNewTask(PLAN))).toBe('Task 4 needs a title.');
    const named = withChanged(withNewTask(PLAN), 'new 1', { title: 'Docs' });
    expect(draftError(named)).toBe('"Docs" needs a description.');
    expect(draftError(withChanged(PLAN, 'b', { description: '' }))).toBeNull();
    expect(isSamePlan(PLAN, withChanged(PLAN, 'b', { priority: 1 }))).toBe(false);
  });
});
