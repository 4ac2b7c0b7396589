import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { run as runProgram } from '../../src/process/run.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';
import { claudeEnv, codexProvider } from './invocations.ts';
import type { Step } from './model-server/step.ts';
import { startModelServer } from './model-server.ts';
import { describeWith } from './with-programs.ts';

const LAUNCHER = fileURLToPath(new URL('../../bin/manyhands.mjs', import.meta.url));
const ASSISTANT_MS = 180_000;
/** A job that is not done by then never is. */
const MOST_POLLS = 200;
const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());

/** Asks, then changes what a person must approve; rejected, it does as it is told. */
const SCENARIO = `plays:
  - role: implement
    attempt: 1
    steps:
      - tool: { name: ask_user, with: { question: 'Which colour?', options: [red, blue], seconds: 0 } }
      - say: I wait for the colour
  - role: implement
    attempt: 2
    steps:
      - run: grep -x blue "$MANYHANDS_PROMPT_FILE" > colour.txt
        expect: pass
      - edit: { path: infra/main.tf, write: "x" }
      - say: done
  - role: implement
    steps:
      - run: grep -q 'Leave infra alone' "$MANYHANDS_PROMPT_FILE" && rm -r infra
        expect: pass
      - say: done
`;

type ToolStep = (name: string, args: Record<string, unknown>) => Step;

/** Does a whole job as the skill teaches it: what follows depends on what the last results say. */
function assistantScript(name: string, scenario: string, tool: ToolStep): () => Step {
  const done: string[] = [];
  let polls = 0;
  const input = { task: 'work', write: true };
  const start = tool('start_run', { recipe: 'job', input, options: { rehearse: true, scenario } });
  const once = (step: string, args: Record<string, unknown>): Step => {
    done.push(step);
    return tool(step, args);
  };
  return () => {
    const seen = JSON.stringify(server.requests(name).at(-1)?.body).replaceAll('\\', '');
    const last = (pattern: RegExp) => [...seen.matchAll(pattern)].at(-1)?.[1] ?? '';
    // A call that takes long on a busy machine has an id of its own.
    const pending = last(/"pending":true,"call":"([^"]+)"/g);
    if (pending !== '' && !done.includes(pending)) {
      done.push(pending);
      return tool('wait_for_call', { call: pending, waitSeconds: 50 });
    }
    const run = last(/"run":"([0-9a-z]{8})"/g);
    const recommended = last(/"recommended":\{"action":"(\w+)"/g);
    polls += 1;
    if (polls > MOST_POLLS) return { say: `It did not get beyond ${done.join(', ')}` };
    // A program that has not connected its tools yet refuses the call.
    if (run === '') return start;
    const cursor = last(/"cursor":"([\d.]+)"/g);
    const poll = tool('compact_run', { run, waitSeconds: 20, ...(cursor === '' ? {} : { after: cursor }) });
    if (!done.includes('answer_question')) {
      if (recommended !== 'answer') return poll;
      if (!done.includes('list_questions')) return once('list_questions', { run });
      return once('answer_question', { run, question: last(/"question":"(q[\d-]+)"/g), answer: 'blue' });
    }
    if (!done.includes('reject_run'))
      return recommended === 'approve' ? once('reject_run', { run, reason: 'Leave infra alone' }) : poll;
    if (!done.includes('verify_run')) return recommended === 'land' ? once('verify_run', { run }) : poll;
    if (!done.includes('land_run')) return once('land_run', { run });
    return { say: 'It has landed.' };
  };
}

async function makeProject(): Promise<{ project: Scratch; scenario: string }> {
  const project = await makeScratch({ files: { 'a.txt': 'one\n' }, check: 'test -e a.txt' });
  await project.mh(['config', 'set', '--global', 'assistant.decide', 'true']);
  await project.mh(['config', 'set', '--global', 'policy', '[{"decision":"ask","tool":"Edit","path":["infra/**"]}]']);
  const scenario = join(project.root, 'scenario.yaml');
  writeFileSync(scenario, SCENARIO);
  return { project, scenario };
}

/** Runs an assistant to its end, and checks what became of the job that it did. */
async function work(project: Scratch, command: readonly string[], env: Record<string, string>): Promise<void> {
  const own = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}`,
    HOME: project.root,
    MANYHANDS_HOME: project.home,
    MANYHANDS_BWRAP: '',
    ...server.proxyEnv,
  };
  const { code, stderr, stdout } = await runProgram(command, {
    cwd: project.repo,
    env: { ...own, ...env },
    timeoutMs: ASSISTANT_MS,
  });
  expect(code, String(stderr)).toBe(0);
  expect(String(stdout).slice(-8_000)).toContain('It has landed.');
  expect(project.git('show', 'main:colour.txt')).toBe('blue');
  expect(project.git('ls-tree', '--name-only', 'main').split('\n')).not.toContain('infra');
  await project.mh(['stop']);
}

await describeWith(['claude', 'codex'], 'a real assistant with operator tools alone', (path) => {
  it('completes a whole job as Claude Code', async () => {
    const { project: made, scenario } = await makeProject();
    await using project = made;
    const script = assistantScript('assistant-claude', scenario, (name, args) => ({
      call: [{ name: `mcp__manyhands__${name}`, args }],
    }));
    const base = server.scenario('assistant-claude', script);
    const config = { mcpServers: { manyhands: { command: process.execPath, args: [LAUNCHER, 'mcp'] } } };
    const args = [
      ...['-p', 'Do the job', '--output-format', 'stream-json', '--verbose', '--model', 'claude-sonnet-4-5'],
      ...['--allowedTools', 'mcp__manyhands', '--strict-mcp-config', '--setting-sources', ''],
      ...['--mcp-config', JSON.stringify(config)],
    ];
    await work(project, [path('claude'), ...args], { ...claudeEnv(base), ENABLE_TOOL_SEARCH: 'false' });
  });

  it('completes a whole job as Codex', async () => {
    const { project: made, scenario } = await makeProject();
    await using project = made;
    const script = assistantScript('assistant-codex', scenario, (name, args) => ({
      call: [{ namespace: 'mcp__manyhands', name, args }],
    }));
    const base = server.scenario('assistant-codex', script);
    const entry = `{command=${JSON.stringify(process.execPath)},args=[${JSON.stringify(LAUNCHER)},"mcp"],default_tools_approval_mode="approve",env={MANYHANDS_HOME=${JSON.stringify(project.home)},HOME=${JSON.stringify(project.root)}}}`;
    const args = [
      ...['exec', '--json', '--sandbox', 'read-only', '--skip-git-repo-check', '-C', project.repo, '-m', 'gpt-5.5'],
      ...[...codexProvider(base), '-c', `mcp_servers.manyhands=${entry}`],
      ...['-c', 'analytics.enabled=false', '-c', 'check_for_update_on_startup=false'],
      ...['--disable', 'plugins', '--disable', 'apps', 'Do the job'],
    ];
    await work(project, [path('codex'), ...args], { SCRIPTED_KEY: 'test-key' });
  });
});
