import { describe, expect, it } from 'vitest';
import { retryWith, type SettingsChange } from '../../../src/core/run/changed-settings.ts';
import type { RunState } from '../../../src/core/run/state.ts';
import { added, attemptEnded, attempted, given, spec, started, taskEnded, used } from '../../support/given.ts';

const SCOPE = { gate: 'scope' as const, allow: ['docs'] };
const failed = given(
  started({}, { budget: { run: 2, attempt: 1 }, agents: { ada: { kind: 'claude', runtimeSeconds: 60 } } }),
  added(spec('a', { agent: 'ada', gates: [SCOPE], limits: { turns: 5 } }), spec('b', { agent: 'ada', gates: [SCOPE] })),
).and(attempted('a'), attemptEnded('a', 1, { usage: used(1.8) }), taskEnded('a', 'failed'), taskEnded('b', 'failed'));

const retrying = (change: Partial<SettingsChange>, task?: string) => (state: RunState) =>
  retryWith(state, {
    reason: 'again',
    requeue: false,
    change: { scopeAllow: [], ...change },
    ...(task === undefined ? {} : { task }),
  });

describe('a retry with changed settings', () => {
  it('changes one task and leaves the others as they are', () => {
    const agents = {
      settings: { grace: { ...agentOf(failed.state), kind: 'codex' as const } },
      order: ['grace'],
      byRole: { '*': 'grace' },
    };
    const change = {
      stop: { turns: 9, seconds: 7200, completion: false },
      scopeAllow: ['src/x.js'],
      budget: 9,
      agents,
    };
    const { state, events } = failed.when(retrying(change, 'a'));
    expect(events.map(({ type }) => type)).toEqual(['run.settings-changed', 'run.reopened']);
    expect(state.tasks.a?.spec).toMatchObject({
      agent: 'grace',
      limits: { turns: 9, runtimeMs: 7_200_000, inactivityMs: 300_000 },
      gates: [{ allow: ['docs', 'src/x.js'] }],
    });
    expect(state.tasks.b?.spec).toEqual(failed.state.tasks.b?.spec);
    expect(state.start.config).toMatchObject({
      budget: { run: 9 },
      agents: { ada: { runtimeSeconds: 7200 }, grace: { kind: 'codex' } },
    });
    expect(state.start.agents).not.toHaveProperty('*');
  });

  it('without a task changes the whole run, and tasks that are added later', () => {
    const agents = { settings: {}, order: [], byRole: { '*': 'ada' } };
    const { state } = failed.when(retrying({ stop: { seconds: 60, budget: 0.1, completion: false }, agents }));
    expect([state.tasks.a?.phase.status, state.tasks.b?.phase.status]).toEqual(['ready', 'ready']);
    expect(state.tasks.b?.spec).toMatchObject({ limits: { runtimeMs: 60_000, costUsd: 0.1 } });
    expect(state.tasks.b?.spec).not.toHaveProperty('agent');
    expect(state.start).toMatchObject({
      agents: { '*': 'ada' },
      config: { limits: { runtimeSeconds: 60 }, budget: { attempt: 0.1 } },
    });
  });

  it('is accepted for a task that still waits, and then retries nothing', () => {
    const open = given(started(), added(spec('a')));
    expect(open.when(retrying({ stop: { seconds: 60, completion: false } })).events).toHaveLength(1);
    expect(() => open.when(retrying({}))).toThrow('has no task to retry');
  });

  it('refuses a budget that allows no attempt, and a scope where none applies', () => {
    expect(() => failed.when(retrying({ budget: 2.5 }))).toThrow(
      'has spent $1.80 and an attempt reserves $1.00: use --budget 2.80 or more',
    );
    const free = given(started(), added(spec('a'))).and(taskEnded('a', 'failed'));
    expect(() => free.when(retrying({ scopeAllow: ['src'] }))).toThrow('--scope-allow would change nothing');
  });
});

function agentOf(state: RunState) {
  const { ada } = state.start.config.agents;
  if (ada === undefined) throw new Error('ada is configured');
  return ada;
}
