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
      gates: [{ gate: 'changed' }, { gate: 'command', name: 'npm test' }],
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
      gates: [{ gate: 'command', name: 'npm test' }],
    });
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
