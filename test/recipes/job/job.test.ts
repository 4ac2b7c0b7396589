import { describe, expect, it } from 'vitest';
import { hasLanded } from '../../../src/core/run/state.ts';
import { runDocument } from '../../../src/core/view/document.ts';
import { nextClosingStep } from '../../../src/engine/finish/next-closing-step.ts';
import { job } from '../../../src/recipes/job/job.ts';
import { JobInput } from '../../../src/schema/request.ts';
import {
  added,
  attemptEnded,
  attempted,
  given,
  landed,
  spec,
  started,
  T0,
  taskEnded,
  worked,
} from '../../support/given.ts';

function specOf(input: Partial<JobInput>, config = {}) {
  const parsed = JobInput.parse({ task: 'Rename it', ...input });
  const [task] = job.unfold(given(started({}, config)).state, parsed, undefined).add;
  if (task === undefined) throw new Error('the job has no task');
  return task;
}

const REVIEWED = JobInput.parse({ task: 'Rename it', review: true });

describe('a job that is reviewed', () => {
  const done = given(started(), added(specOf({})), ...worked('job/1'), landed('job/1'));

  it('is reviewed by another agent, and what it finds is fixed', () => {
    const { add } = job.unfold(done.state, REVIEWED, done.state.tasks['job/1']);
    expect(add).toMatchObject([{ key: 'review/1', role: 'review', avoidsAgentOf: 'job/1', reviewsResult: true }]);
    const finding = { severity: 'high', title: 'Wrong', description: 'It is wrong' };
    const found = done.and(
      added(...add),
      attempted('review/1'),
      attemptEnded('review/1', 1, { output: { findings: [finding], summary: '' } }),
      taskEnded('review/1', 'done'),
    );
    expect(job.unfold(found.state, REVIEWED, found.state.tasks['review/1']).add).toMatchObject([
      { key: 'fix/1.1', role: 'fix' },
    ]);
  });

  it('is done and not reviewed when money or time ends before its review', () => {
    const { add } = job.unfold(done.state, REVIEWED, done.state.tasks['job/1']);
    const out = { kind: 'timeout', message: 'the run stopped at its deadline', limit: 'deadline' } as const;
    const ended = done.and(added(...add), taskEnded('review/1', 'failed', out));
    expect(runDocument(ended.state).reviewed).toBe(false);
    expect(job.unfold(ended.state, REVIEWED, ended.state.tasks['review/1'])).toEqual({ add: [] });
  });

  it('that failed, or changed nothing, is not', () => {
    const failed = given(started(), added(specOf({})), taskEnded('job/1', 'failed'));
    expect(job.unfold(failed.state, REVIEWED, failed.state.tasks['job/1'])).toEqual({ add: [] });
  });
});

describe('a job that is debated first', () => {
  it('begins with what the debate came to', () => {
    const input = JobInput.parse({ task: 'Rename it', debate: 1 });
    const begun = given(started());
    const { add } = job.unfold(begun.state, input, undefined);
    expect(add.map(({ key }) => key)).toEqual(['debate/1/1/a', 'debate/1/1/b']);
    const output = {
      position: 'Rename it to Basket',
      verdict: 'disagree',
      points: [{ claim: 'Cart is ambiguous', evidence: 'src/cart.ts:1' }],
    };
    const debated = begun.and(
      added(...add),
      ...add.flatMap(({ key }) => [attempted(key), attemptEnded(key, 1, { output }), taskEnded(key, 'done')]),
    );
    const [task] = job.unfold(debated.state, input, debated.state.tasks['debate/1/1/b']).add;
    expect(task).toMatchObject({ key: 'job/1', prompt: expect.stringContaining('Rename it to Basket') });
  });
});

describe('the job recipe', () => {
  it('is one writing task that must change something and pass the checks', () => {
    expect(specOf({}, { checks: ['npm test'] })).toMatchObject({
      key: 'job/1',
      role: 'implement',
      access: 'write',
      gates: [{ gate: 'changed' }, { gate: 'command', name: 'npm test' }, { gate: 'secrets' }],
    });
  });

  it('has a title that ends with a whole letter, however long the task is', () => {
    expect(specOf({ task: '🎉'.repeat(200) }).title).toBe(`${'🎉'.repeat(59)}…`);
  });

  it('only reads with a role, and its answer is judged by the handoff', () => {
    expect(specOf({ role: 'architecture' })).toMatchObject({
      role: 'architecture',
      access: 'read',
      gates: [{ gate: 'handoff' }],
    });
  });

  it('may change something with a role and --write, but need not', () => {
    expect(specOf({ role: 'debug', write: true }, { checks: ['npm test'] })).toMatchObject({
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
    expect(specOf({ scope: { allow: ['docs'], deny: [], maxChangedLines: 800 } }, config).gates).toEqual([
      { gate: 'changed', name: 'changed' },
      { gate: 'scope', name: 'scope', allow: [], deny: ['infra'], also: [] },
      { gate: 'syntax', name: 'syntax', files: [], unchecked: 'hold', checkers: {} },
      { gate: 'clean-output', name: 'clean-output' },
      { gate: 'scope', name: 'scope', allow: ['docs'], deny: [], also: [], maxChangedLines: 800 },
    ]);
  });

  it('takes priority, retry policy and what it comes after', () => {
    expect(specOf({ priority: 7, retry: 'analyze', after: ['abcdefgh'] })).toMatchObject({
      priority: 7,
      retry: { policy: 'analyze' },
      after: ['abcdefgh'],
    });
  });

  it('stops an attempt at turns, money or time', () => {
    const { limits } = specOf({ stop: { turns: 5, budget: 2, seconds: 60, completion: false } });
    expect(limits).toMatchObject({ turns: 5, costUsd: 2, runtimeMs: 60_000 });
  });

  it('has a safety cap when it continues until completion', () => {
    expect(specOf({ stop: { completion: true } }).limits.turns).toBe(1000);
  });

  it('wants nothing more when its task has ended', () => {
    const { state } = given(started());
    const ended = state.tasks['job/1'];
    expect(ended).toBeUndefined();
    const story = given(started(), { type: 'tasks.added', data: { specs: [specOf({})] } });
    expect(job.unfold(story.state, JobInput.parse({ task: 'x' }), story.state.tasks['job/1'])).toEqual({ add: [] });
  });

  it('starts at its time, and is told guidelines and context letter for letter', () => {
    const { notBefore, prompt, tier } = specOf({
      task: 'Fix {{it}}',
      guidelines: 'Be {{kind}}.',
      context: { ticket: 'A-1 = B', log: 'one\ntwo' },
      notBefore: 5_000_000,
      tier: 'light',
    });
    expect([notBefore, tier]).toEqual([5_000_000, 'light']);
    expect(prompt).toBe(
      '### Guidelines\n\nBe {{kind}}.\n\n### The task\n\nFix {{it}}\n\n### Context\n\nticket: A-1 = B\n\nlog:\none\ntwo',
    );
    expect(specOf({ task: 'Plain' }).prompt).toBe('Plain');
  });

  it('begins with the base as it stands then when it had to wait, and with the one it was given when not', () => {
    expect([specOf({}).fresh, specOf({ notBefore: 5 }).fresh, specOf({ after: ['abcdefgh'] }).fresh]).toEqual([
      undefined,
      true,
      true,
    ]);
  });
});

describe('a repeated job', () => {
  const input = JobInput.parse({ task: 'Again', repeat: { everyMs: 60_000, times: 3 } });
  const begun = (more = {}) => {
    const story = given(started(more));
    return story.and(added(...job.unfold(story.state, input, undefined).add));
  };

  it('comes again so long after the end of the last time, however often it is asked, and not after the last', () => {
    const story = begun()
      .and(...worked('job/1'))
      .at(T0 + 7_000)
      .and(landed('job/1'));
    const next = job.unfold(story.state, input, story.state.tasks['job/1']).add;
    expect(next).toMatchObject([{ key: 'job/2', notBefore: T0 + 67_000, prompt: 'Again' }]);
    const later = story.and(added(...next)).at(T0 + 900_000);
    expect(job.unfold(later.state, input, later.state.tasks['job/1']).add).toEqual(next);
    const third = later.and(taskEnded('job/2', 'done'), added(spec('job/3')), taskEnded('job/3', 'done'));
    expect(job.unfold(third.state, input, third.state.tasks['job/3'])).toEqual({ add: [] });
  });

  it('ends with a failure, and has nothing to do with the tasks that serve it', () => {
    const story = begun().and(taskEnded('job/1', 'failed'), added(spec('analyze/1')), taskEnded('analyze/1', 'done'));
    expect(job.unfold(story.state, input, story.state.tasks['job/1'])).toEqual({ add: [] });
    expect(job.unfold(story.state, input, story.state.tasks['analyze/1'])).toEqual({ add: [] });
  });

  it('lands each time at once where it merges, and changes code again only on what has landed', () => {
    expect(job.defaults?.(started().data.config, input)).toEqual({ landEach: true });
    const changed = begun({ landEach: true }).and(...worked('job/1'), landed('job/1')).state;
    expect(job.unfold(changed, input, changed.tasks['job/1']).add).toMatchObject([{ afterLanding: true }]);
    const unchanged = begun({ landEach: true }).and(taskEnded('job/1', 'done')).state;
    expect(job.unfold(unchanged, input, unchanged.tasks['job/1']).add[0]).not.toHaveProperty('afterLanding');
  });

  it('tells the next time while it waits for it, and shows its branch meanwhile', () => {
    const checked = { type: 'run.base-checked' as const, data: { tree: 'tree', evidence: [] } };
    const story = begun().and(checked, ...worked('job/1'), landed('job/1'));
    expect(nextClosingStep(story.state)?.name).toBe('end');
    const waits = story.and(added(...job.unfold(story.state, input, story.state.tasks['job/1']).add));
    expect(runDocument(waits.state)).toMatchObject({ status: 'running', nextAt: new Date(T0 + 60_000).toISOString() });
    expect(nextClosingStep(waits.state)?.name).toBe('show tip');
    expect(runDocument(waits.and(attempted('job/2')).state).nextAt).toBeNull();
  });

  it('still has landed what it landed when it begins again with a base that moved on', () => {
    const story = begun({ landEach: true }).and(...worked('job/1'), landed('job/1'), {
      type: 'run.landed',
      data: { branch: 'main', commit: 'tip', how: 'merge', tip: 'tip' },
    });
    const caughtUp = { type: 'run.caught-up' as const, data: { base: 'theirs', commit: 'theirs', tree: 'tree-2' } };
    const { state } = story.and(caughtUp);
    expect([hasLanded(state), state.start.base.commit, state.tip.commit]).toEqual([true, 'theirs', 'theirs']);
    const behind = begun().and(...worked('job/1'), landed('job/1'), {
      ...caughtUp,
      data: { ...caughtUp.data, commit: 'both' },
    });
    expect([hasLanded(behind.state), runDocument(behind.state).commit]).toEqual([false, 'both']);
  });
});
