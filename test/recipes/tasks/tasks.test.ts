import { describe, expect, it } from 'vitest';
import { tasks } from '../../../src/recipes/tasks/tasks.ts';
import { TasksInput } from '../../../src/schema/work-file.ts';
import { given, started } from '../../support/given.ts';

function task(id: string, more = {}) {
  return { id, title: `Task ${id}`, description: 'Do it', files: [], needs: [], ...more };
}

function begun(entries: unknown[], more = {}) {
  const input = TasksInput.parse({ tasks: entries, ...more });
  return tasks.unfold(given(started()).state, input, undefined).add;
}

describe('a list of tasks', () => {
  it('keeps the needs, hints at the files and adds the task its own check', () => {
    const [first, second] = begun([
      task('a', { files: ['src/x.ts'], check: 'npm run x' }),
      task('b', { needs: ['a'] }),
    ]);
    expect(first?.prompt).toContain('Probably in: src/x.ts');
    expect(first?.gates).toContainEqual(expect.objectContaining({ gate: 'command', run: 'npm run x' }));
    expect(second).toMatchObject({ key: 'task/2', name: 'b', needs: ['task/1'] });
  });

  it('does not run a check of the settings a second time for a task that names it too', () => {
    const input = TasksInput.parse({ tasks: [task('a', { check: 'npm test' }), task('b', { check: 'npm run x' })] });
    const { add } = tasks.unfold(given(started({}, { checks: ['npm test'] })).state, input, undefined);
    const commands = add.map(({ gates }) => gates.flatMap((gate) => (gate.gate === 'command' ? [gate.run] : [])));
    expect(commands).toEqual([['npm test'], ['npm test', 'npm run x']]);
  });

  it('runs the named ones with what they need', () => {
    const specs = begun([task('a'), task('b', { needs: ['a'] }), task('c')], { only: ['b'] });
    expect(specs.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('lands by pull request where the file asks for it', () => {
    const { config } = started().data;
    expect(tasks.defaults?.(config, TasksInput.parse({ tasks: [task('a')], pr: 'each' }))).toEqual({ land: 'pr' });
    expect(tasks.defaults?.(config, TasksInput.parse({ tasks: [task('a')] }))).toEqual({});
  });
});
