import { describe, expect, it } from 'vitest';
import { listedTasks } from '../../../src/recipes/tasks/task-list.ts';
import { tasksText } from '../../../src/recipes/tasks/tasks-text.ts';
import { workflowText } from '../../../src/recipes/workflow/workflow-text.ts';
import { TasksOutput } from '../../../src/schema/output.ts';
import { parseWork } from '../../../src/work-files/parse-work.ts';

const ABOUT = { title: 'To do', from: 'Made from todo.md by run k3v9x2ab.', summary: 'Two things.\n- and: more #1' };

function listed(...tasks: object[]) {
  return listedTasks(TasksOutput.parse({ tasks }));
}

describe('a written list of tasks', () => {
  it('is read again as exactly what it was made of', () => {
    const tasks = listed(
      {
        id: 'login',
        title: 'Add a login',
        description: 'A form.\n\n- with: a colon\n# and no comment',
        files: ['src/a.ts'],
      },
      { id: 'logout', title: 'Add a logout: now', description: 'yes', needs: ['login'], check: 'npm test -- "a b"' },
    );
    const text = tasksText(tasks, ABOUT);
    const work = parseWork(text, 'tasks.yaml');
    expect(work).toMatchObject({ format: 'tasks', notes: [], options: { title: 'To do' } });
    expect(work.input).toEqual({ tasks: tasks.map(({ role: _, ...task }) => task) });
    expect(text).toMatch(/^# Made from todo\.md by run k3v9x2ab\.\n# Two things\.\n# - and: more #1\n/);
    expect(text).toMatch(/\n\n {2}- id: logout\n/);
  });

  it('has safe and unique ids whatever the agent called its tasks', () => {
    const names = ['../etc', '-rf', 'a b', 'a/b', '…', 'x'.repeat(150), 'Grüße', 'v1..2'];
    const tasks = listed(...names.map((id) => ({ id, title: `Title of ${id}`, description: 'd' })), {
      id: 'last',
      title: 'Last',
      description: 'd',
      needs: ['a/b', '…'],
    });
    const ids = tasks.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(tasks.at(-1)?.needs).toEqual([ids[3], ids[4]]);
    expect(parseWork(tasksText(tasks, ABOUT), 'tasks.yaml').input).toMatchObject({ tasks: { length: ids.length } });
  });

  it('drops paths that lead out of the project', () => {
    const [task] = listed({
      id: 'a',
      title: 'A',
      description: 'd',
      files: ['./src/a.ts', '../x', '/etc/passwd', 'src/a.ts'],
    });
    expect(task?.files).toEqual(['src/a.ts']);
  });

  it('cannot break out of its comment or its texts', () => {
    const evil = 'x\u2028tasks: []\r\n"""\n--- !!js/function\n&a *a';
    const text = tasksText(listed({ id: 'a', title: 'T', description: evil }), {
      ...ABOUT,
      title: evil,
      from: evil,
      summary: evil,
    });
    expect(parseWork(text, 'tasks.yaml').input).toMatchObject({ tasks: [{ description: evil }] });
  });
});

describe('a written workflow', () => {
  it('is one that can be run, with readers, writers in their scope and a review at its end', () => {
    const tasks = listed(
      { id: 'find-out', title: 'Find out', description: 'd', role: 'research' },
      { id: 'write', title: 'Write it', description: 'd', needs: ['find-out'], files: ['src/a.ts'] },
    );
    const { input, notes } = parseWork(workflowText(tasks, ABOUT), 'workflow.yaml', {
      roles: ['implement', 'research', 'review'],
    });
    expect(notes).toEqual([]);
    expect(input).toMatchObject({
      name: 'To do',
      nodes: [
        { id: 'find-out', role: 'research', access: 'read' },
        { id: 'write', access: 'write', needs: ['find-out'], writeScope: { allow: ['src/a.ts'] } },
        { id: 'review', needs: ['write'], gates: [{ id: 'accepted', onFail: { retry: 'write', max: 2 } }] },
      ],
    });
  });

  it('leaves names that tasks have alone', () => {
    const tasks = listed(
      { id: 'review', title: 'R', description: 'd' },
      { id: 'accepted', title: 'A', description: 'd' },
    );
    const { input } = parseWork(workflowText(tasks, ABOUT), 'workflow.yaml', { roles: ['implement', 'review'] });
    expect(input).toMatchObject({ nodes: [{ id: 'review' }, { id: 'accepted' }, { id: 'review-2' }] });
  });
});
