import { describe, expect, it } from 'vitest';
import { PlanOutput, ReviewOutput } from '../../src/schema/output.ts';

function task(id: string, needs: string[] = []) {
  return { id, title: `Do ${id}`, description: 'Do it.', needs };
}

function mistakesIn(plan: unknown): string[] {
  return PlanOutput.safeParse(plan).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
}

describe('a plan', () => {
  it('may use any text as id', () => {
    const ids = ['../x', '-rf', 'a b', '__proto__', 'f7/verify', '日本'];
    const plan = PlanOutput.parse({ tasks: [...ids.map((id) => task(id)), task('last', ids)] });
    expect(plan.tasks.at(-1)?.needs).toEqual(ids);
  });

  it('without needs runs side by side', () => {
    expect(PlanOutput.parse({ tasks: [{ id: 'a', title: 'A', description: 'x' }] }).tasks[0]?.needs).toEqual([]);
  });

  it.each([
    ['no tasks', [], 'tasks: a plan needs at least one task'],
    [
      'too many tasks',
      Array.from({ length: 201 }, (_, index) => task(`${index}`)),
      'tasks: a plan has at most 200 tasks',
    ],
    ['an id used twice', [task('a'), task('a')], 'tasks.1.id: two tasks have the id "a"'],
    ['a need that does not exist', [task('a', ['b'])], 'tasks.0.needs: task "a" needs "b", which is not in the plan'],
    ['a task that needs itself', [task('a', ['a'])], 'tasks.0.needs: task "a" needs itself'],
    ['an empty title', [{ ...task('a'), title: '  ' }], 'tasks.0.title: must not be empty'],
  ])('with %s is refused with the reason', (_, tasks, reason) => {
    expect(mistakesIn({ tasks })).toContain(reason);
  });
});

describe('a review', () => {
  it('may find nothing', () => {
    expect(ReviewOutput.parse({ findings: [], summary: '' }).findings).toEqual([]);
  });

  it('names the severity of each finding', () => {
    const finding = { severity: 'dreadful', title: 'a', description: 'b' };
    expect(ReviewOutput.safeParse({ findings: [finding], summary: '' }).success).toBe(false);
  });
});
