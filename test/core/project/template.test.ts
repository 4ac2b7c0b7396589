import { describe, expect, it } from 'vitest';
import { endCall } from '../../../src/core/models/decide-call.ts';
import { withTemplate } from '../../../src/core/project/template.ts';
import { templateStatistics } from '../../../src/core/project/template-statistics.ts';
import { titleRun } from '../../../src/core/run/decide-run.ts';
import { JobInput, StartOptions } from '../../../src/schema/request.ts';
import type { Template } from '../../../src/schema/template.ts';
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

const TEMPLATE: Template = {
  name: 'style',
  summary: 'Keep to the style',
  text: 'Guide {{task}}',
  agent: 'ada',
  tier: 'light',
  role: 'testing',
  write: true,
  checks: ['npm test', 'lint'],
  budget: 2,
  from: 'project',
  file: '/style.md',
};

function asked(input: object, options: object) {
  const request = {
    input: JobInput.parse({ task: 'Do it', ...input }),
    options: StartOptions.parse({ dir: '/', ...options }),
  };
  return withTemplate({ recipe: 'job', ...request }, TEMPLATE);
}

describe('a job from a template', () => {
  it('takes what nobody said from it', () => {
    const { input, options } = asked({}, { checks: ['lint'] });
    expect(input).toMatchObject({
      task: 'Do it',
      guidelines: 'Guide {{task}}',
      role: 'testing',
      write: true,
      tier: 'light',
    });
    expect(options).toMatchObject({ agents: ['ada'], budget: 2, checks: ['lint', 'npm test'] });
  });

  it('keeps what was said, and a role of its own does not get the right to write', () => {
    const { input, options } = asked({ role: 'research', tier: 'heavy' }, { agents: ['bob'], budget: 5 });
    expect([input.role, input.write, input.tier, options.agents, options.budget]).toEqual([
      'research',
      false,
      'heavy',
      ['bob'],
      5,
    ]);
  });
});

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

  it('is not taken back by a model that thought about one meanwhile', () => {
    const call = { call: 'title', kind: 'title' as const, reservation: { costUsd: 0, tokens: 0, turns: 0 } };
    const story = given(started({ title: 'A long text…' }), { type: 'call.started', data: call });
    expect(endCall(story.state, { call: 'title', tries: [] }, 'Short')).toHaveLength(2);
    const renamed = story.when((state) => titleRun(state, 'Mine'));
    expect(endCall(renamed.state, { call: 'title', tries: [] }, 'Short')).toHaveLength(1);
  });
});
