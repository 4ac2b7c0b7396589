import { expect, it } from 'vitest';
import { reviewByTask } from '../../../../../src/dashboard/features/run/changes/review-by-task.ts';

it('sends each comment to the last task that changed its file', () => {
  const first = { task: 'task/1', label: 'a', title: 'First', files: ['x.ts', 'y.ts'] };
  const second = { task: 'task/2', label: 'b', title: 'Second', files: ['y.ts'] };
  const comment = (id: string, path: string) => ({ id, path, side: 'new' as const, line: 1, text: 'why?' });
  const comments = [comment('1', 'x.ts'), comment('2', 'y.ts'), comment('3', 'z.ts')];
  const { byTask, unassigned } = reviewByTask([first, second], comments);
  expect(byTask.map(([{ task }, some]) => [task, some.map(({ id }) => id)])).toEqual([
    ['task/1', ['1']],
    ['task/2', ['2']],
  ]);
  expect(unassigned.map(({ id }) => id)).toEqual(['3']);
});
