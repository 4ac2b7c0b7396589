import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dequeue, emptyQueue, enqueue, inOrder } from '../../../src/core/schedule/queue.ts';

function queueOf(...entries: [string, number][]) {
  const queue = emptyQueue();
  for (const [key, priority] of entries) enqueue(queue, key, priority);
  return queue;
}

describe('the ready line', () => {
  it('serves higher priority first, and within one priority first come, first served', () => {
    const queue = queueOf(['low', -5], ['first', 0], ['urgent', 10], ['second', 0]);
    expect([...inOrder(queue)]).toEqual(['urgent', 'first', 'second', 'low']);
  });

  it.each(['a', 'b', 'c'])('removes %s at any position', (key) => {
    const queue = queueOf(['a', 0], ['b', 0], ['c', 0]);
    dequeue(queue, key);
    expect([...inOrder(queue)]).toEqual(['a', 'b', 'c'].filter((other) => other !== key));
    expect(queue.size).toBe(2);
  });

  it('is as new once everybody has left', () => {
    const queue = queueOf(['a', 0], ['b', 3]);
    dequeue(queue, 'b');
    dequeue(queue, 'a');
    expect(queue).toEqual(emptyQueue());
  });

  it('ignores a key that is not queued', () => {
    const queue = queueOf(['a', 0]);
    dequeue(queue, 'b');
    expect([...inOrder(queue)]).toEqual(['a']);
  });

  it('stores nothing about removed keys before the first one', () => {
    const queue = queueOf(['stays', 0]);
    for (let round = 0; round < 1000; round += 1) {
      enqueue(queue, `passes-${round}`, 0);
      dequeue(queue, `passes-${round}`);
    }
    expect(queue).toEqual(queueOf(['stays', 0]));
  });

  it('continues when the key that was just read is removed', () => {
    const queue = queueOf(['a', 0], ['b', 0], ['c', 0]);
    const served: string[] = [];
    for (const key of inOrder(queue)) {
      dequeue(queue, key);
      served.push(key);
    }
    expect(served).toEqual(['a', 'b', 'c']);
  });

  it('agrees with a sorted list for any insertions and removals, also after a JSON round trip', () => {
    const moves = fc.array(fc.record({ key: fc.nat({ max: 8 }), priority: fc.integer({ min: -10, max: 10 }) }), {
      size: 'large',
    });
    fc.assert(
      fc.property(moves, (list) => {
        let queue = emptyQueue();
        let model: { name: string; priority: number }[] = [];
        for (const { key, priority } of list) {
          const name = `key-${key}`;
          const isIn = model.some((entry) => entry.name === name);
          if (isIn) dequeue(queue, name);
          else enqueue(queue, name, priority);
          model = isIn ? model.filter((entry) => entry.name !== name) : [...model, { name, priority }];
          queue = JSON.parse(JSON.stringify(queue));
          const expected = model.toSorted((a, b) => b.priority - a.priority).map((entry) => entry.name);
          expect([...inOrder(queue)]).toEqual(expected);
          expect(queue.size).toBe(expected.length);
        }
      }),
    );
  });
});
