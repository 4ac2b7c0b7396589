import { describe, expect, it } from 'vitest';
import { endCall } from '../../../src/core/models/decide-call.ts';
import { templateStatistics } from '../../../src/core/project/template-statistics.ts';
import { titleRun } from '../../../src/core/run/decide-run.ts';
import type { Usage } from '../../../src/schema/usage.ts';
import {
  added,
  attemptEnded,
  attempted,
  given,
  landed,
  landing,
  saved,
  spec,
  started,
  T0,
} from '../../support/given.ts';

function usedBy(model: string, costUsd: number): Usage {
  return { kind: 'known', costUsd, inputTokens: 10, outputTokens: 5, cachedTokens: 0, turns: 1, model };
}

describe('the statistics of a template', () => {
  const ended = (status: 'done' | 'failed' | 'cancelled' | 'unverified', cost: number, more = {}) => {
    const story = given(
      started({ input: { task: 'x', template: 'style' }, ...more }),
      added(spec('job/1')),
      attempted('job/1'),
    )
      .at(T0 + 4_000)
      .and(
        attemptEnded('job/1', 1, { usage: usedBy('m1', cost), saved: saved('job/1') }),
        landing('job/1'),
        landed('job/1'),
      );
    return story.and({ type: 'run.ended', data: { status, reason: '', spend: { costUsd: cost, tokens: 0, turns: 0 } } })
      .state;
  };

  it('count ended runs by agent and model, and leave out the cancelled, the rehearsed and those of other templates', () => {
    const rehearsed = ended('done', 9, {
      config: {
        ...started().data.config,
        agents: { one: { ...started({}, { agents: { one: { kind: 'rehearsal' } } }).data.config.agents.one } },
      },
    });
    const other = ended('done', 9, { input: { task: 'x', template: 'other' } });
    const runs = [
      ended('done', 1),
      ended('failed', 2),
      ended('unverified', 3),
      ended('cancelled', 9),
      rehearsed,
      other,
    ];
    expect(templateStatistics(runs, 'style')).toEqual([
      {
        agent: 'one',
        model: 'm1',
        runs: 3,
        verified: 1,
        landed: 0,
        successRate: 1 / 3,
        cost: 2,
        turns: 1,
        durationMs: 4_000,
      },
    ]);
  });
});

describe('the title of a run', () => {
  it('is what a person calls it, on one line, also after its end', () => {
    const { state } = given(started(), {
      type: 'run.ended',
      data: { status: 'done', reason: '', spend: { costUsd: 0, tokens: 0, turns: 0 } },
    });
    expect(titleRun(state, ' New\n name ')).toEqual([{ type: 'run.titled', data: { title: 'New name' } }]);
    expect(titleRun(state, 'A run')).toEqual([]);
    expect(() => titleRun(state, '\u0007')).toThrow('at least one letter');
  });

  it('is not replaced by the title of a model that answers later', () => {
    const call = { call: 'title', kind: 'title' as const, reservation: { costUsd: 0, tokens: 0, turns: 0 } };
    const story = given(started({ title: 'A long text…' }), { type: 'call.started', data: call });
    expect(endCall(story.state, { call: 'title', tries: [] }, 'Short')).toHaveLength(2);
    const renamed = story.when((state) => titleRun(state, 'Mine'));
    expect(endCall(renamed.state, { call: 'title', tries: [] }, 'Short')).toHaveLength(1);
  });
});
