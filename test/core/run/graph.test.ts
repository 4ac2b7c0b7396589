import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { criticalPath, findCycle, inBatches } from '../../../src/core/run/graph.ts';

const node = (key: string, ...needs: string[]) => ({ key, needs });
const acyclic = fc
  .array(fc.array(fc.nat({ max: 20 }), { maxLength: 4 }), { maxLength: 20 })
  .map((lists) =>
    lists.map((needs, index) => node(`t${index}`, ...needs.filter((need) => need < index).map((need) => `t${need}`))),
  );

describe('finding a circle', () => {
  it('names the path that leads back to its beginning', () => {
    expect(findCycle([node('a', 'b'), node('b', 'c'), node('c', 'a')])).toEqual(['a', 'b', 'c', 'a']);
  });

  it('leaves out what only leads to the circle', () => {
    expect(findCycle([node('start', 'a'), node('a', 'b'), node('b', 'a')])).toEqual(['a', 'b', 'a']);
  });

  it('sees a task that needs itself', () => {
    expect(findCycle([node('a', 'a')])).toEqual(['a', 'a']);
  });

  it('does not report two paths to the same task as a cycle', () => {
    expect(
      findCycle([node('top', 'left', 'right'), node('left', 'base'), node('right', 'base'), node('base')]),
    ).toBeUndefined();
  });

  it('ignores needs outside the list', () => {
    expect(findCycle([node('a', 'elsewhere')])).toBeUndefined();
  });

  it('finds none where every task needs only earlier ones', () => {
    fc.assert(
      fc.property(acyclic, (nodes) => {
        expect(findCycle(nodes)).toBeUndefined();
      }),
    );
  });

  it('finds a real one whenever a need of the last task is made to need that task', () => {
    const closed = fc
      .integer({ min: 2, max: 30 })
      .map((size) => Array.from({ length: size }, (_, index) => node(`t${index}`, `t${(index + 1) % size}`)));
    fc.assert(
      fc.property(closed, (nodes) => {
        const cycle = findCycle(nodes) ?? [];
        const needs = new Map(nodes.map((one) => [one.key, one.needs]));
        expect(cycle[0]).toBe(cycle.at(-1));
        for (const [index, key] of cycle.slice(0, -1).entries()) expect(needs.get(key)).toContain(cycle[index + 1]);
      }),
    );
  });

  it('goes through a chain of 10,000 tasks without running out of stack', () => {
    const chain = Array.from({ length: 10_000 }, (_, index) => node(`t${index}`, `t${index + 1}`));
    expect(findCycle([...chain, node('t10000')])).toBeUndefined();
    expect(findCycle([...chain, node('t10000', 't0')])).toHaveLength(10_002);
  });
});

describe('batches', () => {
  it('put a task behind the last of its needs', () => {
    expect(inBatches([node('c', 'a', 'b'), node('b', 'a'), node('a'), node('d')])).toEqual([['a', 'd'], ['b'], ['c']]);
  });

  it('hold every task once, after all it needs', () => {
    fc.assert(
      fc.property(acyclic, (nodes) => {
        const batches = inBatches(nodes);
        const level = new Map(batches.flatMap((batch, index) => batch.map((key): [string, number] => [key, index])));
        expect(batches.flat().toSorted()).toEqual(nodes.map((one) => one.key).toSorted());
        for (const { key, needs } of nodes) {
          for (const need of needs) expect(level.get(need)).toBeLessThan(level.get(key) ?? -1);
        }
      }),
    );
  });
});

describe('the critical path', () => {
  it('is the chain of needs with the greatest total weight', () => {
    const nodes = [node('a'), node('b', 'a'), node('c', 'a'), node('d', 'b', 'c')];
    const weight: Record<string, number> = { a: 1, b: 5, c: 2, d: 1 };
    expect(criticalPath(nodes, (key) => weight[key] ?? 0)).toEqual(['a', 'b', 'd']);
  });

  it('is empty where there are no tasks', () => {
    expect(criticalPath([], () => 1)).toEqual([]);
  });

  it('follows the needs, and no other chain is heavier', () => {
    fc.assert(
      fc.property(acyclic, (nodes) => {
        const path = criticalPath(nodes, () => 1);
        const needs = new Map(nodes.map((one) => [one.key, one.needs]));
        for (const [index, key] of path.slice(1).entries()) expect(needs.get(key)).toContain(path[index]);
        expect(path).toHaveLength(inBatches(nodes).length);
      }),
    );
  });
});
