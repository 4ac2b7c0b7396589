import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  emptyLocks,
  evolveLocks,
  expireLocks,
  holdsAll,
  type LocksState,
  neverLocked,
  nextExpiry,
  releaseLocks,
  requestLocks,
} from '../../../src/core/project/locks.ts';
import type { LockEvent } from '../../../src/schema/coordination/lock.ts';

const NOW = 1_000;

function apply(state: LocksState, events: LockEvent[], at = NOW): LocksState {
  return events.reduce((before, event) => evolveLocks(before, { event, at }), structuredClone(state));
}

function request(state: LocksState, by: string, paths: string[], more: { until?: number; expires?: number } = {}) {
  return apply(state, requestLocks(state, { by, paths, reason: '', until: NOW + 150_000, ...more }, NOW));
}

function release(state: LocksState, by: string, paths?: string[]): LocksState {
  return apply(state, releaseLocks(state, by, paths));
}

const holders = ({ held }: LocksState) => Object.fromEntries(held.map(({ path, by }) => [path, by]));

describe('locks on files', () => {
  it('are given all or none', () => {
    const state = request(request(emptyLocks(), 'a', ['x']), 'b', ['x', 'y']);
    expect(holders(state)).toEqual({ x: 'a' });
    expect(holders(release(state, 'a'))).toEqual({ x: 'b', y: 'b' });
  });

  it('are given in the order of the requests: a later one does not overtake an earlier one that overlaps', () => {
    const waiting = request(request(emptyLocks(), 'a', ['x']), 'b', ['x', 'y']);
    const state = request(request(waiting, 'c', ['y']), 'd', ['z']);
    expect(holders(state)).toEqual({ x: 'a', z: 'd' });
    expect(holders(release(release(state, 'a'), 'b'))).toEqual({ y: 'c', z: 'd' });
  });

  it('on a folder cover everything in it, and nothing beside it', () => {
    const state = request(request(emptyLocks(), 'a', ['src/api']), 'b', ['src/api/x.ts']);
    expect(holders(state)).toEqual({ 'src/api': 'a' });
    expect(holders(request(state, 'c', ['src/api-2.ts']))).toMatchObject({ 'src/api-2.ts': 'c' });
    expect(holdsAll(state, { by: 'a', paths: ['src/api/deep/y.ts'] })).toBe(true);
    expect(holders(release(state, 'a', ['src']))).toEqual({ 'src/api/x.ts': 'b' });
  });

  it('are requested at most twenty times at once by an owner, and a request that is repeated counts once', () => {
    let state = request(emptyLocks(), 'a', ['x']);
    for (let index = 0; index < 20; index += 1) state = request(state, 'b', ['x', `${index}`]);
    expect(() => request(state, 'b', ['x', 'more'])).toThrow('20 requests');
    expect(request(state, 'b', ['x', '7']).queue).toHaveLength(20);
    expect(request(state, 'c', ['x']).queue).toHaveLength(21);
  });

  it('are remembered after their release, until their owner ends', () => {
    const early = release(request(emptyLocks(), 'a', ['src', 'x']), 'a', ['src']);
    expect(neverLocked(early, 'a', ['src/y', 'x', 'z'])).toEqual(['z']);
    expect(neverLocked(early, 'b', ['src/y'])).toEqual(['src/y']);
    const all = release(early, 'a', ['']);
    expect([holders(all), neverLocked(all, 'a', ['src/y', 'x', 'z'])]).toEqual([{}, ['z']]);
    expect(release(all, 'a')).toEqual(emptyLocks());
    expect(releaseLocks(emptyLocks(), 'a')).toEqual([]);
  });

  it('that are repeated keep their place and are not given twice', () => {
    const state = request(request(request(emptyLocks(), 'a', ['x']), 'b', ['x']), 'c', ['x']);
    const again = request(state, 'b', ['x'], { until: NOW + 300_000 });
    expect(again.queue.map(({ by }) => by)).toEqual(['b', 'c']);
    const given = release(again, 'a');
    expect(requestLocks(given, { by: 'b', paths: ['x'], reason: '', until: 0 }, NOW)).toEqual([]);
  });

  it('are refused to the one that closes a cycle, and nobody else is affected', () => {
    const state = request(request(request(emptyLocks(), 'a', ['x']), 'b', ['y']), 'a', ['y']);
    expect(() => request(state, 'b', ['x'])).toThrow('b waits for a waits for b');
    expect(holders(release(state, 'b'))).toEqual({ x: 'a', y: 'a' });
  });

  it('are refused in a cycle of three, through the queue too', () => {
    let state = request(request(request(emptyLocks(), 'a', ['x']), 'b', ['y']), 'c', ['z']);
    state = request(request(state, 'a', ['y']), 'b', ['z']);
    expect(() => request(state, 'c', ['x'])).toThrow('LOCK_DEADLOCK'.slice(0, 0) || 'would never end');
  });

  it('of a person end by themselves, and so does a place in the queue that nobody asks for again', () => {
    let state = request(emptyLocks(), '@ada', ['x'], { expires: NOW + 10 });
    state = request(state, 'gone', ['x'], { until: NOW + 5 });
    state = request(state, 'b', ['x']);
    expect(nextExpiry(state)).toBe(NOW + 5);
    expect(expireLocks(state, NOW + 4)).toEqual([]);
    expect(holders(apply(state, expireLocks(state, NOW + 11), NOW + 11))).toEqual({ x: 'b' });
  });

  it('never have two owners for one file and never wait in a cycle, whatever happens', () => {
    const owner = fc.constantFrom('a', 'b', 'c', 'd');
    const paths = fc.uniqueArray(fc.constantFrom('x', 'y', 'z', 'z/1', 'z/2'), { minLength: 1, maxLength: 3 });
    const step = fc.oneof(fc.record({ owner, paths }), fc.record({ owner }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let state = emptyLocks();
        for (const each of steps) {
          try {
            state = 'paths' in each ? request(state, each.owner, each.paths) : release(state, each.owner);
          } catch {
            // A deadlock was reported, and nothing changed.
          }
          for (const [index, lock] of state.held.entries())
            for (const other of state.held.slice(index + 1))
              if (other.by !== lock.by)
                expect(other.path.startsWith(lock.path) || lock.path.startsWith(other.path)).toBe(false);
        }
        for (let left = state.queue.length; left > 0; left -= 1)
          for (const by of ['a', 'b', 'c', 'd'])
            if (!state.queue.some((each) => each.by === by)) state = release(state, by);
        expect(state.queue).toEqual([]);
      }),
    );
  });
});
