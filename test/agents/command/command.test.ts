import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { AgentExit } from '../../../src/agents/agent.ts';
import { commandAgent } from '../../../src/agents/command/command.ts';
import { AgentConfig } from '../../../src/schema/config/agent.ts';
import { agentContract } from '../../contracts/agent.ts';
import { makeAssignment, performAttempt } from '../../contracts/attempt.ts';
import { sampleAssignment } from '../sample-assignment.ts';

const DIR = fileURLToPath(new URL('../../fixtures/agents', import.meta.url));
const EXITED: AgentExit = { kind: 'exited', code: 0 };

function make(args: string[], more: { command?: string; dir?: string; env?: Record<string, string> } = {}) {
  const { command = './agent.mjs', dir = DIR, env = {} } = more;
  const config = AgentConfig.parse({ kind: 'command', command, args, env });
  return commandAgent({ name: 'mine', config, search: { dir, path: '/usr/bin:/bin' } });
}

function resultOf(lines: string[], exit: AgentExit = EXITED) {
  const reading = reader();
  for (const line of lines) reading.line('stdout', line);
  return reading.end(exit);
}

function reader() {
  return make([]).reader(sampleAssignment());
}

agentContract('command', async (behaviour) => make([behaviour]));

describe('a command agent', () => {
  it('replaces {prompt} and {workspace} in arguments without a shell', async () => {
    await using made = await makeAssignment();
    const { workspace, promptFile } = made.assignment;
    const agent = make(['arguments', '{prompt}', '--in={workspace}/src', '$HOME; `id`', '{other}']);
    const { result } = await performAttempt(agent, made.assignment);
    expect(result.output).toEqual({
      arguments: ['arguments', promptFile, `--in=${workspace}/src`, '$HOME; `id`', '{other}'],
    });
  });

  it('never expands a placeholder that a path happens to contain', async () => {
    await using made = await makeAssignment();
    const assignment = { ...made.assignment, promptFile: '/tmp/{workspace}/$&' };
    expect((await make(['{prompt}']).command(assignment)).command[1]).toBe('/tmp/{workspace}/$&');
  });

  it('cannot rename its attempt by configured variables', async () => {
    await using made = await makeAssignment();
    const { env } = await make([], { env: { EXTRA: 'yes', MANYHANDS_TASK: 'other' } }).command(made.assignment);
    expect(env).toMatchObject({ EXTRA: 'yes', MANYHANDS_TASK: 'implement/1.2' });
  });

  it('uses only the last non-empty line of stdout as output', () => {
    expect(resultOf(['{"a":1}', 'then text'])).not.toHaveProperty('output');
    expect(resultOf(['text', '{"a":1}', '', '  '])).toMatchObject({ output: { a: 1 }, text: 'text' });
    expect(resultOf(['[1,2]'])).not.toHaveProperty('output');
    expect(resultOf(['"text"'])).not.toHaveProperty('output');
  });

  it('does not use stderr as output', () => {
    const reading = reader();
    reading.line('stdout', 'text');
    reading.line('stderr', '{"a":1}');
    expect(reading.end(EXITED)).not.toHaveProperty('output');
  });

  it('treats a JSON line that looks like an event as plain text', () => {
    expect(reader().line('stdout', '{"type":"session","id":"x"}')).toEqual([
      { type: 'text', text: '{"type":"session","id":"x"}' },
    ]);
  });

  it('reads tool calls and their results in the forms that programs print', () => {
    const reading = reader();
    const read = (...lines: object[]) => lines.flatMap((line) => reading.line('stdout', JSON.stringify(line)));
    const claude = read(
      { type: 'assistant', message: { id: 'm', content: [{ type: 'tool_use', id: 't', name: 'Bash', input: {} }] } },
      { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't', content: 'done' }] } },
    );
    expect(claude).toMatchObject([
      { type: 'tool-call', name: 'Bash' },
      { type: 'tool-result', id: 't', output: 'done', isError: false },
    ]);
    const item = { id: 'i', type: 'command_execution', command: 'ls', aggregated_output: 'a', exit_code: 1 };
    expect(read({ type: 'item.started', item }, { type: 'item.completed', item })).toEqual([
      { type: 'tool-call', id: 'i', name: 'shell', input: { command: 'ls' } },
      { type: 'tool-result', id: 'i', output: 'a', isError: true },
    ]);
    const plain = read(
      { type: 'tool_use', tool_name: 'edit', parameters: { a: 1 } },
      { type: 'tool_result', output: 'ok' },
    );
    expect(plain).toMatchObject([
      { type: 'tool-call', name: 'edit', input: { a: 1 } },
      { type: 'tool-result', output: 'ok', isError: false },
    ]);
    expect(reading.line('stdout', '{"type":"tool_use"}')).toEqual([{ type: 'text', text: '{"type":"tool_use"}' }]);
  });

  it.each([
    ['a negative cost', '{"usage":{"costUsd":-1}}'],
    ['an absurd cost', '{"usage":{"costUsd":1e300}}'],
    ['no cost', '{"usage":{"inputTokens":5}}'],
    ['a cost that is no number', '{"usage":{"costUsd":"NaN"}}'],
    ['broken tokens', '{"usage":{"costUsd":1,"inputTokens":-5}}'],
  ])('calls usage with %s unknown', (_, line) => {
    expect(resultOf([line]).usage).toEqual({ kind: 'unknown' });
  });

  it('removes the usage from the output, and counts it for a failed attempt too', () => {
    const line = '{"a":1,"usage":{"costUsd":2}}';
    expect(resultOf([line])).toMatchObject({ output: { a: 1 }, usage: { kind: 'known', costUsd: 2 } });
    expect(resultOf(['{"usage":{"costUsd":2}}'])).not.toHaveProperty('output');
    expect(resultOf([line], { kind: 'exited', code: 1 }).usage).toMatchObject({ kind: 'known', costUsd: 2 });
  });

  it.each([
    [1, 'implementation'],
    [75, 'implementation'],
    [126, 'environment'],
    [127, 'environment'],
    [137, 'crashed'],
    [139, 'crashed'],
    [255, 'implementation'],
  ])('calls exit code %i %s', (code, kind) => {
    expect(resultOf([], { kind: 'exited', code }).failure?.kind).toBe(kind);
  });

  it('shows the end of stderr as evidence of a failure', () => {
    const reading = reader();
    for (let count = 0; count < 10_000; count += 1) reading.line('stderr', `line ${count}`);
    const evidence = reading.end({ kind: 'exited', code: 1 }).failure?.evidence ?? '';
    expect(evidence.endsWith('line 9999')).toBe(true);
    expect(evidence.length).toBeLessThanOrEqual(16_000);
  });

  it('is found on PATH by a bare name, and reports why it is missing or not executable', async () => {
    await using made = await makeAssignment();
    await writeFile(join(made.root, 'plain.sh'), 'exit 0\n');
    expect(await make([], { command: 'sh' }).available()).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/bin\/sh$/),
    });
    expect(await make([], { command: './none.sh', dir: made.root }).available()).toMatchObject({
      ok: false,
      detail: `${made.root}/none.sh does not exist`,
    });
    expect(await make([], { command: './plain.sh', dir: made.root }).available()).toMatchObject({
      ok: false,
      detail: `${made.root}/plain.sh is not executable; run: chmod +x '${made.root}/plain.sh'`,
    });
    await chmod(join(made.root, 'plain.sh'), 0o755);
    expect(await make([], { command: './plain.sh', dir: made.root }).available()).toMatchObject({ ok: true });
  });

  it('refuses to start when its program has been removed', async () => {
    await using made = await makeAssignment();
    await expect(make([], { command: './none.sh' }).command(made.assignment)).rejects.toMatchObject({
      code: 'AGENT_MISSING',
    });
  });

  it('has its output piped, so that a child cannot truncate it, and its prompt on stdin', async () => {
    await using made = await makeAssignment();
    const command = await make([]).command(made.assignment);
    expect(command).toMatchObject({ pipeOutput: true, stdin: made.assignment.promptFile });
    expect(await readFile(command.stdin ?? '', 'utf8')).toBe('Do it.\n');
  });
});
