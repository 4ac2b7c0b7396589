import { describe, expect, it } from 'vitest';
import { job } from '../../src/recipes/job.ts';
import { JobInput } from '../../src/schema/request.ts';
import { given, started } from '../support/given.ts';

function asked(input: Partial<JobInput>, config = {}) {
  const parsed = JobInput.parse({ task: 'Rename it', ...input });
  const [task] = job.unfold(given(started({}, config)).state, parsed, undefined).add;
  if (task === undefined) throw new Error('the job has no task');
  return task;
}

describe('the job recipe', () => {
  it('is one writing task that must change something and pass the checks', () => {
    expect(asked({}, { checks: ['npm test'] })).toMatchObject({
      key: 'job/1',
      role: 'implement',
      access: 'write',
      gates: [{ gate: 'changed' }, { gate: 'command', name: 'npm test' }, { gate: 'secrets' }],
    });
  });

  it('only reads with a role, and its answer is judged by the handoff', () => {
    expect(asked({ role: 'architecture' })).toMatchObject({
      role: 'architecture',
      access: 'read',
      gates: [{ gate: 'handoff' }],
    });
  });

  it('may change something with a role and --write, but need not', () => {
    expect(asked({ role: 'debug', write: true }, { checks: ['npm test'] })).toMatchObject({
      access: 'write',
      gates: [{ gate: 'command', name: 'npm test' }, { gate: 'secrets' }],
    });
  });

  it('is inspected by what the settings ask for, and kept to a scope of its own besides', () => {
    const config = {
      scope: { deny: ['infra'] },
      secrets: { off: true },
      syntax: { all: true, unchecked: 'hold' },
      cleanOutput: true,
    };
    expect(asked({ scope: { allow: ['docs'], deny: [], maxChangedLines: 800 } }, config).gates).toEqual([
      { gate: 'changed', name: 'changed' },
      { gate: 'scope', name: 'scope', allow: [], deny: ['infra'], also: [] },
      { gate: 'syntax', name: 'syntax', files: [], unchecked: 'hold', checkers: {} },
      { gate: 'clean-output', name: 'clean-output' },
      { gate: 'scope', name: 'scope', allow: ['docs'], deny: [], also: [], maxChangedLines: 800 },
    ]);
  });

  it('takes priority, retry policy and what it comes after', () => {
    expect(asked({ priority: 7, retry: 'analyze', after: ['abcdefgh'] })).toMatchObject({
      priority: 7,
      retry: { policy: 'analyze' },
      after: ['abcdefgh'],
    });
  });

  it('stops an attempt at turns, money or time', () => {
    const { limits } = asked({ stop: { turns: 5, budget: 2, seconds: 60, completion: false } });
    expect(limits).toMatchObject({ turns: 5, costUsd: 2, runtimeMs: 60_000 });
  });

  it('has a safety cap when it is to go on until completion', () => {
    expect(asked({ stop: { completion: true } }).limits.turns).toBe(1000);
  });

  it('wants nothing more when its task has ended', () => {
    const { state } = given(started());
    const ended = state.tasks['job/1'];
    expect(ended).toBeUndefined();
    const story = given(started(), { type: 'tasks.added', data: { specs: [asked({})] } });
    expect(job.unfold(story.state, JobInput.parse({ task: 'x' }), story.state.tasks['job/1'])).toEqual({ add: [] });
  });
});
