import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proposeLearnings } from '../../../src/core/project/knowledge.ts';
import { runDocument } from '../../../src/core/view/document.ts';
import { summarizeUsage } from '../../../src/core/view/usage.ts';
import { smallCallNotes } from '../../../src/engine/small-calls/call-providers.ts';
import { openRun } from '../../../src/engine/start/open-run.ts';
import { BY_ENGINE } from '../../../src/schema/actor.ts';
import { knowledgeStream } from '../../../src/schema/coordination/knowledge.ts';
import type { RunEvent } from '../../../src/schema/event.ts';
import { runStream } from '../../../src/schema/ids.ts';
import { realWorld } from '../../../src/world.ts';
import type { Script } from '../../real/model-server/step.ts';
import { type ModelServer, startModelServer } from '../../real/model-server.ts';
import { makeRunProject } from '../run-project.ts';

const LONG_TASK = `Mend the rounding of prices ${'in the basket, the order and the invoice, '.repeat(8)}please.`;
const WHY = { why: 'The tool it needs is missing.', nextStep: 'Install the tool.' };
const TITLE = { title: 'Mend the rounding of prices' };

let server: ModelServer;
let count = 0;

beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server[Symbol.asyncDispose]());

type Setting = { script?: Script; config?: Record<string, unknown>; agent?: Record<string, unknown> };

async function openScratch({ script = [], ...more }: Setting) {
  count += 1;
  const name = `small-${count}`;
  const env = { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: server.scenario(name, script) };
  return Object.assign(await makeRunProject({ ...more, env }), { requests: () => server.requests(name) });
}

const answer = (args: Record<string, unknown>) => ({ call: [{ name: 'answer', args }], usage: { in: 1000, out: 100 } });
/** Answers what it is asked, by what it is told to do. */
const WISE: Script = ({ system }) => answer(system.startsWith('Name') ? TITLE : WHY);

describe('a small call', () => {
  it('goes to the vendor whose agent works in the run, is charged to the run, and is never repeated', async () => {
    await using scratch = await openScratch({ script: WISE });
    const run = await scratch.run(LONG_TASK);
    const document = runDocument(run);
    expect([document.status, document.title]).toEqual(['failed', TITLE.title]);
    expect(document.tasks[0]?.diagnosis).toEqual({ ...WHY, by: 'api:anthropic' });
    const [agent, api] = summarizeUsage([run], 'agent');
    expect([agent?.name, agent?.attempts, agent?.cost]).toEqual(['one', 1, 0.5]);
    expect([api?.name, api?.calls]).toEqual(['api:anthropic', 2]);
    expect(run.spent.costUsd).toBeCloseTo(0.5 + (api?.cost ?? 0), 6);
    expect(run.reserved.costUsd).toBe(0);
    const ended = scratch.store.read(runStream(run.start.run)).find(({ type }) => type === 'run.ended');
    expect(ended?.data).toMatchObject({ spend: { costUsd: run.spent.costUsd } });
    expect(scratch.requests()).toHaveLength(2);
  });

  it('goes to the light model of an agent where the vendor refuses, in a separate folder', async () => {
    const refusal = { fault: { kind: 'refusal', reason: 'auth' } } as const;
    await using scratch = await openScratch({ script: () => refusal, agent: { models: { light: 'light-model' } } });
    const run = await scratch.run(LONG_TASK);
    expect(run.start.title).toBe('Named by the light model');
    expect(run.calls.title?.ended?.tries.map(({ by, usage }) => [by, usage.kind])).toEqual([
      ['api:anthropic', 'none'],
      ['one', 'known'],
    ]);
    expect(readdirSync(scratch.home.attempts).filter((name) => name.includes('-call-'))).toEqual([]);
  });

  it('is answered by rules where every provider fails, and the run is not affected', async () => {
    await using scratch = await openScratch({ script: () => ({ fault: { kind: 'malformed' } }) });
    const document = runDocument(await scratch.run(LONG_TASK));
    expect(document.title).toMatch(/…$/);
    expect(document.tasks[0]?.diagnosis).toMatchObject({ why: 'No such tool', by: 'rules' });
  });

  it.each([
    ['the settings choose rules', { smallCalls: { use: 'rules' } }],
    ['it may cost nothing', { smallCalls: { budget: 0 } }],
    ['the budget of the run does not allow it', { budget: { run: 0.5 } }],
  ])('goes to no provider where %s', async (_, config) => {
    await using scratch = await openScratch({ script: WISE, config });
    const run = await scratch.run(LONG_TASK);
    expect([scratch.requests().length, run.openCalls, Object.keys(run.calls)]).toEqual([0, 0, []]);
  });

  it('goes to no provider in a run of commands alone', async () => {
    await using scratch = await openScratch({ script: WISE, agent: { kind: 'command' } });
    const engine = scratch.newEngine();
    const { state, project } = await scratch.start(engine, LONG_TASK);
    const active = await openRun(engine, state.start.run, { state, project });
    expect(smallCallNotes(engine, active)).toEqual([]);
    await scratch.run(LONG_TASK);
    expect(scratch.requests()).toEqual([]);
  });

  it('is announced before anything is spent', async () => {
    await using scratch = await openScratch({ script: WISE });
    const engine = scratch.newEngine();
    const { state, project } = await scratch.start(engine, LONG_TASK);
    const active = await openRun(engine, state.start.run, { state, project });
    expect(smallCallNotes(engine, active)).toEqual([expect.stringMatching(/api:anthropic, for \$0\.20 in all/)]);
  });

  it('that was open when the engine died is charged as if answered, and not repeated', async () => {
    await using scratch = await openScratch({ script: WISE });
    const { state } = await scratch.start(scratch.newEngine(), LONG_TASK);
    const { run } = state.start;
    const reservation = { costUsd: 0.01, tokens: 0, turns: 0 };
    const begun: RunEvent = { type: 'call.started', data: { call: 'title', kind: 'title', reservation } };
    await scratch.store.append([{ stream: runStream(run), expected: 1, events: [begun] }], realWorld.now());
    const engine = scratch.newEngine();
    engine.run(await openRun(engine, run));
    await engine.idle();
    await engine.stop();
    const after = scratch.stateOf(run);
    expect(after.start.title).toMatch(/…$/);
    expect(after.spent.costUsd).toBeGreaterThanOrEqual(0.51);
    expect(scratch.requests().map(({ system }) => system.slice(0, 4))).toEqual(['A co']);
  });

  it('is not made where the title is short enough', async () => {
    await using scratch = await openScratch({ script: WISE, config: { smallCalls: { use: 'api' } } });
    const run = await scratch.run('Mend it');
    expect(Object.keys(run.calls)).toEqual(['diagnosis job/1 1']);
  });

  it('judges what the agents of a run learned, before the run ends', async () => {
    const id = 'run-1-1-a-1';
    const decisions = [{ id, decision: 'discard', because: 'obvious' }];
    const script: Script = ({ system }) => answer(system.startsWith('Agents reported') ? { decisions } : WHY);
    await using scratch = await openScratch({ script });
    const engine = scratch.newEngine();
    const active = await scratch.open(engine, 'Fix a typo');
    const learnings = [
      { title: 'Typos', text: 'Typos are bad and should be fixed', tags: [], scope: 'project' as const },
    ];
    const proposal = { attempt: 'run-1-1', run: active.id, call: 'a', learnings };
    const stream = knowledgeStream('project', active.project.id);
    await engine.coordination.knowledge.ledgers.update(stream, (state) => proposeLearnings(state, proposal), BY_ENGINE);
    engine.run(active);
    await engine.idle();
    await engine.stop();
    expect(scratch.stateOf(active.id).calls['triage 1']?.ended?.answer).toEqual({ decisions });
  });

  it('chooses the tier of a task where an agent has models of several tiers and none is named', async () => {
    const tier = { tier: 'heavy', because: 'prices are money' };
    const script: Script = ({ system }) =>
      answer(system.startsWith('Say how strong') ? tier : system.startsWith('Name') ? TITLE : WHY);
    await using scratch = await openScratch({ script, agent: { models: { light: 'small', heavy: 'big' } } });
    const run = await scratch.run('Fix a typo');
    expect(run.tasks['job/1']?.attempts[0]).toMatchObject({
      tier: 'heavy',
      because: expect.stringContaining('heavy because prices are money'),
    });
    expect(Object.keys(run.calls)).toEqual(['tier job/1', 'diagnosis job/1 1']);
  });
});
