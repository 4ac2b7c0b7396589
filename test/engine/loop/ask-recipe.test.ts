import { describe, expect, it } from 'vitest';
import { endAttempt, startAttempt } from '../../../src/core/attempt/decide-attempt.ts';
import { requestTask } from '../../../src/core/run/request-task.ts';
import type { ActiveRun } from '../../../src/engine/loop/context.ts';
import { checkBase } from '../../../src/engine/start/check-base.ts';
import type { Recipe, Unfolding } from '../../../src/recipes/recipe.ts';
import { spec, statuses } from '../../support/given.ts';
import { makeRunProject } from '../run-project.ts';

const NOTHING = { costUsd: 0, tokens: 0, turns: 0 };

/** A run without an engine loop whose recipe answers with these unfoldings, by the key of the ended task or `start`. */
async function makeAskedRun(answers: Record<string, Partial<Unfolding>>) {
  const project = await makeRunProject({});
  const engine = project.newEngine();
  const opened = await project.open(engine, 'A test of a recipe');
  const questions: string[] = [];
  const unfold: Recipe['unfold'] = (_run, _input, ended) => {
    const question = ended?.spec.key ?? 'start';
    questions.push(question);
    return { add: [], ...answers[question] };
  };
  const active: ActiveRun = { ...opened, recipe: { ...opened.recipe, unfold } };
  await checkBase(engine, active, []);
  const base = active.ledger.state.tip.commit;
  return {
    engine,
    active,
    questions,
    state: () => active.ledger.state,
    start(task: string): void {
      const start = { task, agent: 'one', because: 'a test', base, reservation: NOTHING };
      engine.submit(active, (state) => startAttempt(state, start));
    },
    /** Ends the running attempt of a task, which is then done; the engine asks the recipe what follows. */
    async end(task: string): Promise<void> {
      const end = { task, attempt: 1, usage: { kind: 'none' as const }, summary: 'done', now: 0 };
      await engine.submit(active, (state) => endAttempt(state, end)).committed;
    },
    async [Symbol.asyncDispose]() {
      await engine.stop();
      await project[Symbol.asyncDispose]();
    },
  };
}

describe('a recipe', () => {
  it('cancels tasks that are no longer needed, with its reason', async () => {
    await using run = await makeAskedRun({
      start: { add: [spec('a'), spec('b', { needs: ['a'] }), spec('c')] },
      a: { cancel: { tasks: ['b'], reason: 'a did it too' } },
    });
    run.start('a');
    await run.end('a');
    expect(statuses(run.state())).toEqual({ a: 'done', b: 'cancelled', c: 'ready' });
    expect(run.state().tasks.b?.phase).toMatchObject({ reason: 'a did it too' });
  });

  it('is never asked about a task that an agent requested, only again about its own last one', async () => {
    await using run = await makeAskedRun({ start: { add: [spec('a'), spec('b')] } });
    run.start('a');
    run.start('b');
    for (const part of ['one', 'two']) {
      const request = { parent: 'a', call: part, title: part, prompt: part, needs: [] };
      await run.engine.submit(run.active, (state) => requestTask(state, request)).committed;
    }
    const [first = '', second = ''] = run.state().order.filter((each) => each.startsWith('sub/'));
    expect(run.state().tasks[first]?.spec.requestedBy).toEqual({ kind: 'task', task: 'a', call: 'one' });
    await run.end('a');
    for (const key of [first, second]) run.start(key);
    await run.end(first);
    expect(run.questions).toEqual(['start', 'a']);
    await run.end('b');
    await run.end(second);
    expect(run.questions).toEqual(['start', 'a', 'b', 'b']);
  });
});
