import { describe, expect, it } from 'vitest';
import { retryTasks } from '../../../src/core/run/decide-run.ts';
import type { Unfolding } from '../../../src/recipes/recipe.ts';
import { workflow } from '../../../src/recipes/workflow/workflow.ts';
import { WorkflowInput } from '../../../src/schema/work-file.ts';
import { added, attemptEnded, attempted, given, type Story, started, taskEnded } from '../../support/given.ts';

function node(id: string, more = {}) {
  return { id, role: 'review', needs: [], task: `Do ${id}`, access: 'read', ...more };
}

function flow(nodes: unknown[], more = {}): WorkflowInput {
  return WorkflowInput.parse({ name: 'Flow', nodes, ...more });
}

function unfolded(story: Story, input: WorkflowInput): Unfolding {
  return workflow.unfold(story.state, input, undefined);
}

/** Asks, records what is wanted, and ends each open task with the answer it is given. */
function play(input: WorkflowInput, answers: Record<string, unknown>[]) {
  let story = given(started({ recipe: { name: 'workflow', version: 1 }, input }));
  const keys: string[] = [];
  for (const answer of answers) {
    story = story.and(added(...unfolded(story, input).add));
    const key = story.state.order.find((entry) => story.state.tasks[entry]?.phase.status === 'ready');
    if (key === undefined) break;
    keys.push(key);
    story = story.and(attempted(key), attemptEnded(key, 1, { output: answer }), taskEnded(key, 'done'));
  }
  return { story, keys, unfolding: unfolded(story, input) };
}

describe('a workflow', () => {
  it('adds a node when all that it needs is done, with what was handed over in its prompt', () => {
    const input = flow([node('a'), node('b', { needs: ['a'] })]);
    expect(unfolded(given(started()), input).add.map(({ key, name }) => [key, name])).toEqual([['node/1', 'a']]);
    const { unfolding } = play(input, [{ risk: 'low' }]);
    expect(unfolding.add).toMatchObject([
      { key: 'node/2', needs: ['node/1'], prompt: expect.stringContaining('"risk": "low"') },
    ]);
  });

  it('hands over what a node reads, also from a node that it does not need directly', () => {
    const input = flow([node('a'), node('b', { needs: ['a'] }), node('c', { needs: ['b'], reads: ['a'] })]);
    const [third] = play(input, [{ total: 7 }, { rest: 1 }]).unfolding.add;
    expect(third?.prompt).toMatch(/From b:[\s\S]*"rest": 1[\s\S]*From a:[\s\S]*"total": 7/);
  });

  it('asks for the outputs that a node names', () => {
    const [spec] = unfolded(given(started()), flow([node('a', { outputs: ['verdict'] })])).add;
    expect(spec?.outputSchema).toEqual({ type: 'object', properties: { verdict: {} }, required: ['verdict'] });
  });

  it('lets a node whose answer is its result end without a change, and judges the answer', () => {
    const [spec] = unfolded(
      given(started()),
      flow([node('a', { access: 'write', answers: true, outputSchema: { type: 'object' } })]),
    ).add;
    const gates = spec?.gates.map(({ gate }) => gate) ?? [];
    expect([gates.includes('changed'), gates.includes('handoff')]).toEqual([false, true]);
  });

  it('holds a writing node to its scope', () => {
    const scoped = node('a', { access: 'write', writeScope: { allow: ['src/**'], deny: ['src/secret'] } });
    const [spec] = unfolded(given(started()), flow([scoped])).add;
    expect(spec?.gates).toContainEqual(
      expect.objectContaining({ gate: 'scope', allow: ['src/**'], deny: ['src/secret'] }),
    );
  });

  it('leaves a node out whose condition is false, and goes on with what needs it', () => {
    const input = flow([node('a'), node('b', { needs: ['a'], condition: 'a.count > 0' }), node('c', { needs: ['b'] })]);
    expect(play(input, [{ count: 0 }]).unfolding.add.map(({ name }) => name)).toEqual(['c']);
    expect(play(input, [{ count: 1 }]).unfolding.add.map(({ name }) => name)).toEqual(['b']);
  });

  it('shows skipped nodes, the reason of each round, and what gates decided', () => {
    const gate = { id: 'good', passWhen: ['c.ok'], onFail: { retry: 'c', max: 1 } };
    const input = flow([
      node('a'),
      node('b', { needs: ['a'], condition: 'a.count > 0' }),
      node('c', { needs: ['b'], gates: [gate], loop: { max: 2, until: 'c.ready' } }),
    ]);
    const shown = (answers: Record<string, unknown>[]) => workflow.nodes?.(play(input, answers).story.state, input);
    const first = { count: 0 };
    expect(shown([first])).toMatchObject([
      { id: 'a', status: 'passed' },
      { id: 'b', status: 'skipped', reason: 'its condition is false: a.count > 0', rounds: [] },
      { id: 'c', status: 'waiting', gates: [{ id: 'good', verdict: 'pending' }] },
    ]);
    const [, , looped] = shown([first, { ready: false }, { ready: true, ok: false }]) ?? [];
    expect(looped).toMatchObject({
      status: 'held',
      rounds: [{ reason: 'b ended' }, { reason: 'round 2 of at most 2: not yet true: c.ready' }],
      gates: [{ verdict: 'failed', reason: 'gate good of node c did not pass: c.ok' }],
    });
  });

  it('shows a node as skipped that needs a failed node, and what needs it, also indirectly', () => {
    const input = flow([node('a'), node('b', { needs: ['a'] }), node('c', { needs: ['b'] }), node('d')]);
    const { story } = play(input, []);
    const [key = ''] = unfolded(story, input).add.map((spec) => spec.key);
    const failed = story.and(
      added(...unfolded(story, input).add),
      attempted(key),
      attemptEnded(key, 1),
      taskEnded(key, 'failed'),
    );
    expect(workflow.nodes?.(failed.state, input)).toMatchObject([
      { id: 'a', status: 'failed' },
      { id: 'b', status: 'skipped', reason: 'a failed', rounds: [] },
      { id: 'c', status: 'skipped', reason: 'b was skipped', rounds: [] },
      { id: 'd', status: 'running' },
    ]);
  });

  it('does a node again until its loop is over, and at most so often', () => {
    const input = flow([node('a', { loop: { max: 3, until: 'a.ok' } })]);
    expect(play(input, [{ ok: false }, { ok: true }, {}]).keys).toEqual(['node/1', 'node/1/2']);
    expect(play(input, [{ ok: false }, { ok: false }, { ok: false }, {}]).keys).toEqual([
      'node/1',
      'node/1/2',
      'node/1/3',
    ]);
  });

  it('does a node again when a gate asks for it, with what follows from it, and tells it why', () => {
    const gate = { id: 'clean', passWhen: ['review.findings == 0'], onFail: { retry: 'build', max: 2 } };
    const input = flow([
      node('build'),
      node('review', { needs: ['build'], gates: [gate] }),
      node('ship', { needs: ['review'] }),
    ]);
    const { keys, story, unfolding } = play(input, [{}, { findings: 3 }, {}, { findings: 0 }]);
    expect(keys).toEqual(['node/1', 'node/2', 'node/1/2', 'node/2/2']);
    expect(story.state.tasks['node/1/2']?.spec.prompt).toContain(
      'gate clean of node review did not pass: review.findings == 0',
    );
    expect(unfolding.add.map(({ name }) => name)).toEqual(['ship']);
  });

  it('is held for a person when a gate has no rounds left, and goes on past it once approved', () => {
    const gate = { id: 'clean', passWhen: ['review.findings == 0'], onFail: { retry: 'build', max: 1 } };
    const input = flow([
      node('build'),
      node('review', { needs: ['build'], gates: [gate] }),
      node('ship', { needs: ['review'] }),
    ]);
    const { story, unfolding } = play(input, [{}, { findings: 3 }, {}, { findings: 2 }]);
    expect(unfolding).toMatchObject({
      add: [],
      hold: { what: 'gate', reason: expect.stringContaining('no round is left') },
    });
    expect(workflow.failure?.(story.state, input)).toContain('gate clean');
    if (unfolding.hold === undefined) throw new Error('it is not held');
    const approved = story.and(
      { type: 'run.held', data: { hold: unfolding.hold } },
      { type: 'run.approved', data: {} },
    );
    expect(unfolded(approved, input).add.map(({ name }) => name)).toEqual(['ship']);
  });

  it('does not pass a gate that refers to a node that was left out', () => {
    const gate = { id: 'sure', needs: ['b', 'c'], passWhen: ['b.ok == true', 'c.ok == true'] };
    const input = flow([
      node('a'),
      node('b', { needs: ['a'], condition: 'a.count > 0' }),
      node('c', { needs: ['a'], gates: [gate] }),
    ]);
    const { unfolding } = play(input, [{ count: 0 }, { ok: true }]);
    expect(unfolding.hold?.reason).toMatch(/gate sure of node c did not pass: b\.ok == true/);
  });

  it('asks for all that follows again when a person has a node done again, and only once its gate passes', () => {
    const gate = { id: 'good', needs: ['b'], passWhen: ['b.ok == true'], onFail: { retry: 'a', max: 2 } };
    const input = flow([node('a'), node('b', { needs: ['a'], gates: [gate] }), node('c', { needs: ['b'] })]);
    const done = play(input, [{}, { ok: true }, {}]).story;
    let story = done.when((run) => retryTasks(run, { task: 'node/1', reason: 'a new wish' }));
    expect(unfolded(story, input)).toEqual({ add: [] });
    story = story.and(attempted('node/1', 2), attemptEnded('node/1', 2), taskEnded('node/1', 'done'));
    story = story.and(added(...unfolded(story, input).add));
    expect(story.state.order.at(-1)).toBe('node/2/2');
    const passed = (ok: boolean) =>
      story.and(attempted('node/2/2'), attemptEnded('node/2/2', 1, { output: { ok } }), taskEnded('node/2/2', 'done'));
    expect(unfolded(passed(true), input).add.map(({ key }) => key)).toEqual(['node/3/2']);
    expect(unfolded(passed(false), input).add.map(({ key }) => key)).toEqual(['node/1/2']);
  });

  it('stops at the loop guard', () => {
    const gate = { id: 'never', passWhen: ['false'], onFail: { retry: 'a', max: 20 } };
    const input = flow([node('a', { gates: [gate] })], { loopGuard: 2 });
    expect(play(input, [{}, {}, {}, {}, {}]).keys).toEqual(['node/1', 'node/1/2', 'node/1/3']);
  });

  it('calls a gate that cannot be answered not passed', () => {
    const gate = { id: 'odd', passWhen: ['a.missing.deeper == 1'] };
    const { unfolding } = play(flow([node('a', { gates: [gate] })]), [{}]);
    expect(unfolding.hold?.reason).toContain('gate odd of node a did not pass');
  });
});
