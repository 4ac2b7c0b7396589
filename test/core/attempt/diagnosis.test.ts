import { expect, it } from 'vitest';
import { diagnosisOf } from '../../../src/core/attempt/diagnosis.ts';
import type { Failure } from '../../../src/schema/failure.ts';
import { added, attemptEnded, attempted, given, spec, started, taskEnded, used } from '../../support/given.ts';

function nextStep(failure: Failure, config: Parameters<typeof started>[1] = {}, more: Parameters<typeof spec>[1] = {}) {
  const { state } = given(started({}, config), added(spec('a', more)))
    .and(attempted('a', 1, { agent: 'ada' }))
    .and(attemptEnded('a', 1, { failure, usage: used(2) }), taskEnded('a', 'failed', failure));
  const task = state.tasks.a;
  return task === undefined ? undefined : diagnosisOf(state, task)?.nextStep;
}

const TWO_AGENTS: Parameters<typeof started>[1] = {
  agents: { ada: { kind: 'claude' }, grace: { kind: 'codex' } },
  routing: { order: ['ada', 'grace'] },
};

it.each([
  ['timeout', {}, {}, 'manyhands retry r0000001 a --stop time='],
  ['stalled', {}, { limits: { inactivityMs: 300_000 } }, 'manyhands retry r0000001 a --stop silence=10m'],
  ['budget', { limit: 'turns' }, { limits: { turns: 20 } }, 'manyhands retry r0000001 a --stop turns=40'],
  ['budget', { limit: 'cost' }, { limits: { costUsd: 1.5 } }, 'manyhands retry r0000001 a --stop budget=3.00'],
  ['budget', {}, { limits: { costUsd: 1.5 } }, 'manyhands retry r0000001 a --stop budget=3.00'],
  ['rate-limit', {}, {}, 'manyhands retry r0000001 a --agent grace'],
  ['model-not-found', {}, {}, 'manyhands retry r0000001 a --agent ada'],
  ['too-many-processes', {}, {}, 'raise resources.processes in your settings, then manyhands retry r0000001 a'],
  ['out-of-memory', {}, {}, 'manyhands limit r0000001 --agents 10, then manyhands retry r0000001 a'],
  [
    'refused',
    { outside: ['src/b c.js', 'docs/[id].md'] },
    {},
    "--scope-allow 'src/b c.js' --scope-allow 'docs/\\[id\\].md'",
  ],
] as const)('after %s %o names the command that removes the cause', (kind, more, task, command) => {
  const { outside, ...others } = { outside: undefined, ...more };
  const failure: Failure = {
    kind,
    message: 'x',
    ...others,
    ...(outside === undefined ? {} : { outside: [...outside] }),
  };
  expect(nextStep(failure, TWO_AGENTS, task)).toContain(command);
});

it('names the setting that allows a tool which was denied, with what is allowed already', () => {
  const failure: Failure = { kind: 'refused', message: 'x', denied: 'WebFetch' };
  expect(nextStep(failure, { tools: { allowedTools: ['Bash(gh:*)'] } })).toBe(
    `Allow the tool with manyhands config set tools.allowedTools '["Bash(gh:*)","WebFetch"]' and start the work as a new run; or tell the agent to do without it: manyhands send r0000001 a 'Do it without WebFetch'`,
  );
  expect(nextStep(failure, { tools: { disallowedTools: ['WebFetch(domain:*)'] } })).toContain(
    'tools.disallowedTools in the settings refuses WebFetch(domain:*): remove it there',
  );
});

it('names until when an agent is rate-limited', () => {
  const resetAt = new Date(2026, 10, 17, 14, 5).getTime();
  const failure: Failure = { kind: 'usage-limit', message: 'x', resetAt };
  expect(nextStep(failure, TWO_AGENTS)).toMatch(/^Wait until 2026-11-17 14:05, then .* --agent grace$/);
});

it('states what a program must print, instead of suggesting another model', () => {
  const failure: Failure = { kind: 'bad-output', message: 'no JSON' };
  const program = { agents: { ada: { kind: 'command' as const, command: './plan.sh' } } };
  expect(nextStep(failure, program, { role: 'plan' })).toBe(
    'The last line that ada prints must be a JSON object that matches the schema of the role plan: see what it printed with manyhands logs r0000001 a, fix the program, then manyhands retry r0000001 a',
  );
  expect(nextStep(failure, TWO_AGENTS)).toBe(
    'Its answer does not match the schema: see what it printed with manyhands logs r0000001 a, then manyhands retry r0000001 a; or use another agent: manyhands retry r0000001 a --agent grace',
  );
});

it('suggests a budget that is enough for one attempt of every task that a retry reopens', () => {
  const config = { budget: { run: 2, attempt: 1.5 } };
  expect(nextStep({ kind: 'budget', limit: 'run-budget', message: 'x' }, config)).toBe(
    'Raise the budget of the run: manyhands retry r0000001 --budget 3.50',
  );
  expect(nextStep({ kind: 'budget', limit: 'project-budget', message: 'x' }, { budget: { project: 5 } })).toBe(
    'The budget of the project is used up: raise it with manyhands config set budget.project 10.00, then start a new run.',
  );
});

it("names how a sandbox is shown a program that the project's settings name", () => {
  const failure: Failure = {
    kind: 'environment',
    message: 'The program, or one it calls, was not found (exit code 127)',
  };
  const agents = { ada: { kind: 'command' as const, command: '/home/ann/tools/agent' } };
  const shows = `manyhands config set sandboxPaths.read '["/srv","/home/ann/tools"]' --global`;
  const sandboxPaths = { read: ['/srv'], projectAgents: ['ada'] };
  expect(nextStep(failure, { agents, sandboxPaths })).toContain(shows);
  expect(nextStep(failure, { agents, sandboxPaths, sandbox: 'off' })).not.toContain('sandboxPaths');
  expect(nextStep(failure, { agents })).not.toContain('sandboxPaths');
});
