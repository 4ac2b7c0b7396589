import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { emptyHistory, foldHistory, type History } from '../../../src/core/models/history.ts';
import { rankOpen } from '../../../src/core/models/ranking.ts';
import { scoreOf } from '../../../src/core/models/score.ts';
import { Config } from '../../../src/schema/config.ts';
import type { BenchResult, ModelOutcome } from '../../../src/schema/model.ts';
import { T0 } from '../../support/given.ts';

function outcome(agent: string, good: number, bad: number, more: Partial<ModelOutcome> = {}): ModelOutcome {
  return { role: 'implement', agent, model: null, attempts: good + bad, good, bad, costUsd: 0.1, ...more };
}

function historyOf(...runs: { run?: string; project?: string; outcomes: ModelOutcome[] }[]): History {
  const history = emptyHistory();
  for (const [index, { run = `r000000${index}`, project = 'here', outcomes }] of runs.entries())
    foldHistory(history, { type: 'model.judged', data: { run, project, outcomes } }, T0);
  return history;
}

function benched(history: History, agent: string, verdict: BenchResult['verdict'], run: string): History {
  const data = { run, kind: 'code' as const, agent, model: null, verdict, reason: '', costUsd: 0, durationMs: 1 };
  foldHistory(history, { type: 'model.benched', data }, T0);
  return history;
}

const score = (history: History, agent = 'a', models?: (string | null)[]) =>
  scoreOf(history, { role: 'implement', agent, models }, 'here');

function ranked(history: History, config: z.input<typeof Config> = {}, open = ['a', 'b']) {
  return rankOpen({ config: Config.parse(config), open, history, project: 'here' }).implement;
}

describe('a score', () => {
  it('is neutral without results', () => {
    expect(score(emptyHistory())).toMatchObject({ score: 0.5, results: 0, because: 'no verified results yet' });
  });

  it('counts results of this project in full, others and benchmarks by half, and states that', () => {
    const history = historyOf({ outcomes: [outcome('a', 4, 0)] }, { project: 'there', outcomes: [outcome('a', 0, 4)] });
    benched(history, 'a', 'fail', 'b0000001');
    benched(history, 'a', 'error', 'b0000002');
    expect(score(history)).toMatchObject({
      score: Math.round((5 / 8.5) * 1000) / 1000,
      results: 9,
      because: '4 of 4 good here, 0 of 4 in other projects, 0 of 1 code benchmarks',
    });
  });

  it('counts a run that went on after its end once, as it ended at last', () => {
    const history = historyOf(
      { run: 'same', outcomes: [outcome('a', 0, 1)] },
      { run: 'same', outcomes: [outcome('a', 1, 0)] },
    );
    expect(score(history)).toMatchObject({ here: { good: 1, bad: 0 } });
  });

  it('covers only the selected models', () => {
    const history = historyOf({
      outcomes: [outcome('a', 3, 0, { model: 'big' }), outcome('a', 0, 3, { model: 'small' })],
    });
    expect(score(history, 'a', ['big'])).toMatchObject({ here: { good: 3, bad: 0 } });
    expect(score(history)).toMatchObject({ here: { good: 3, bad: 3 } });
  });
});

describe('the order of agents that the user left open', () => {
  const clear = historyOf({ outcomes: [outcome('a', 1, 5), outcome('b', 6, 0)] });

  it('is by verified results, and names them', () => {
    expect(ranked(clear)).toMatchObject({
      agents: ['b', 'a'],
      because: expect.stringMatching(/b 0\.875 \(6 of 6 good here\)/),
    });
  });

  it('stays as it is with too few results, or when learning is off', () => {
    expect(ranked(historyOf({ outcomes: [outcome('a', 1, 5), outcome('b', 4, 0)] }))).toBeUndefined();
    expect(ranked(historyOf({ outcomes: [outcome('b', 9, 0)] }))).toBeUndefined();
    expect(ranked(clear, { routing: { learn: false } })).toBeUndefined();
    expect(ranked(clear, { routing: { learnAfter: 7 } })).toBeUndefined();
  });

  it('keeps the position of an agent with too few results', () => {
    expect(ranked(clear, {}, ['a', 'c', 'b'])?.agents).toEqual(['b', 'c', 'a']);
  });

  it('is the default for claude and codex until results say otherwise', () => {
    const open = ['claude', 'codex'];
    expect(ranked(emptyHistory(), {}, open)).toEqual({
      agents: ['codex', 'claude'],
      because: 'the default for the role implement',
    });
    const history = historyOf({ outcomes: [outcome('codex', 1, 5), outcome('claude', 6, 0)] });
    expect(ranked(history, {}, open)?.agents).toEqual(['claude', 'codex']);
  });

  it('is codex first for bulk edits, and claude first for plans and reviews', () => {
    const ranking = rankOpen({
      config: Config.parse({}),
      open: ['claude', 'codex', 'gemini'],
      history: emptyHistory(),
      project: 'here',
    });
    expect([ranking.bulk, ranking.plan, ranking.review].map((rank) => rank?.agents[0])).toEqual([
      'codex',
      'claude',
      'claude',
    ]);
  });
});
