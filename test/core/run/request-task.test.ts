import { describe, expect, it } from 'vitest';
import { startAttempt } from '../../../src/core/attempt/decide-attempt.ts';
import { orphanedTasks, requestTask } from '../../../src/core/run/request-task.ts';
import { next } from '../../../src/core/schedule/schedule-next.ts';
import { added, given, type Story, spec, started, taskEnded } from '../../support/given.ts';

const RESERVED = { costUsd: 4, tokens: 0, turns: 0 };
const REQUEST = { parent: 'job/1', call: 'c1', title: 'Part', prompt: 'Do a part', needs: [] };

const running = (config = {}) =>
  given(started({}, config), added(spec('job/1'))).when((state) =>
    startAttempt(state, { task: 'job/1', agent: 'one', because: '', base: 'base', reservation: RESERVED }),
  );
const request = (story: Story, more: Partial<typeof REQUEST> & { needs?: never[] } = {}) =>
  story.when((state) => requestTask(state, { ...REQUEST, ...more }));

describe('a sub-task that an agent requests', () => {
  it('inherits from its parent, with a share of its reservation', () => {
    expect(request(running()).events).toMatchObject([
      {
        type: 'tasks.added',
        data: {
          specs: [
            {
              key: 'sub/1.1',
              role: 'job',
              optional: true,
              limits: { costUsd: 1 },
              requestedBy: { kind: 'task', task: 'job/1', call: 'c1' },
            },
          ],
        },
      },
    ]);
  });

  it('is added once, however often the call is repeated', () => {
    const once = request(running());
    expect(request(once).events).toEqual([]);
    expect(request(once, { call: 'c2' }).events).toEqual([]);
    expect(request(once, { call: 'c2', title: 'Other' }).events).toHaveLength(1);
  });

  it('is limited in number and depth', () => {
    let story = running();
    for (let index = 0; index < 20; index += 1) story = request(story, { call: `${index}`, title: `Part ${index}` });
    expect(() => request(story, { call: 'x', title: 'One more' })).toThrow('at most 20 sub-tasks');
    let deep = request(running());
    deep = request(deep, { parent: 'sub/1.1', call: 'd', title: 'Deep' });
    expect(() => request(deep, { parent: 'sub/2.1', call: 'e', title: 'Deeper' })).toThrow('2 levels deep');
  });

  it('is orphaned when its parent ends without being done', () => {
    const story = request(running());
    expect(orphanedTasks(story.state, 'job/1')).toEqual([]);
    expect(orphanedTasks(story.and(taskEnded('job/1', 'failed')).state, 'job/1')).toEqual(['sub/1.1']);
    expect(orphanedTasks(story.and(taskEnded('job/1', 'done')).state, 'job/1')).toEqual([]);
  });

  it('starts with one slot while its parent waits for it, and not before', () => {
    const { state } = request(running({ limits: { agents: 1 } }));
    const input = {
      now: 2_000_000,
      slots: 0,
      availability: { rateLimited: {}, busy: { one: 1 }, maxParallel: { one: 1, two: 1 }, spentToday: {} },
      projects: {},
      claimed: new Set(['r0000001 job/1']),
      landing: new Set<string>(),
      outside: {},
    };
    expect(next([state], input).intents).toEqual([]);
    const waiting = { ...input, slots: 1, waiting: new Set(['r0000001 job/1']) };
    const free = { ...waiting, availability: { ...input.availability, busy: {} } };
    expect(next([state], free).intents).toMatchObject([{ do: 'attempt', task: 'sub/1.1' }]);
  });
});
