import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { commandAgent } from '../../src/agents/command/command.ts';
import { terminate } from '../../src/process/terminate.ts';
import { AgentConfig } from '../../src/schema/config/agent.ts';
import { claudeEnv } from './invocations.ts';
import { startModelServer } from './model-server.ts';
import { makeSandbox, type Sandbox } from './sandbox.ts';
import { makeRealAssignment, runAgent } from './support.ts';
import { describeWith } from './with-programs.ts';

const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());

describe('an agent run for a test', () => {
  it('returns events, result and exit as the engine sees them', async () => {
    await using sandbox = await makeSandbox(server);
    const agent = scriptAgent(sandbox, 'cat; echo oops >&2; exit 3');
    const { events, exit, result, leftBehind } = await runAgent(agent, await makeRealAssignment(sandbox, 'Hello\n'));
    expect(events).toContainEqual({ type: 'text', text: 'Hello' });
    expect(exit).toEqual({ kind: 'exited', code: 3 });
    expect(result.failure?.kind).toBe('implementation');
    expect(leftBehind).toBe(0);
  });

  it('is stopped by the watchdog when it is silent, with all its processes', async () => {
    await using sandbox = await makeSandbox(server);
    const limits = { inactivityMs: 300, runtimeMs: 60_000, outputBytes: 1_000_000 };
    const assignment = await makeRealAssignment(sandbox, 'Go\n', { limits });
    const { stopped, result } = await runAgent(scriptAgent(sandbox, 'setsid sleep 1000 & sleep 1000'), assignment);
    expect(stopped?.kind).toBe('stalled');
    expect(result.failure).toBeDefined();
  });

  it('lets a test stop it at an event', async () => {
    await using sandbox = await makeSandbox(server);
    const agent = scriptAgent(sandbox, 'echo ready; exec sleep 1000');
    const run = await runAgent(agent, await makeRealAssignment(sandbox, 'Go\n'), {
      onEvent: (event, target) => {
        if (event.type === 'text' && event.text === 'ready') void terminate(target, { graceMs: 0 });
      },
    });
    expect(run.exit).toEqual({ kind: 'interrupted' });
    expect(run).not.toHaveProperty('stopped');
  });
});

await describeWith(['claude'], 'a real program under the shim', (path) => {
  it('reads its prompt from the file and ends on its own', async () => {
    await using sandbox = await makeSandbox(server);
    const base = server.scenario('shim', [{ say: 'Understood.' }]);
    const config = { kind: 'command', command: path('claude'), args: ['-p'], env: claudeEnv(base) };
    const search = { dir: '/', path: '' };
    const agent = commandAgent({ name: 'claude', config: AgentConfig.parse(config), search });
    const { exit, result } = await runAgent(agent, await makeRealAssignment(sandbox, 'A prompt from a file\n'));
    expect(exit).toEqual({ kind: 'exited', code: 0 });
    expect(result.text).toContain('Understood.');
    expect(server.requests('shim').find(({ isAside }) => !isAside)?.lastUser).toContain('A prompt from a file');
  });
});

/** An agent that is a shell script in the workplace. */
function scriptAgent(sandbox: Sandbox, script: string) {
  const command = join(sandbox.root, 'agent.sh');
  writeFileSync(command, `#!/bin/sh\n${script}\n`);
  chmodSync(command, 0o755);
  const config = AgentConfig.parse({ kind: 'command', command });
  return commandAgent({ name: 'script', config, search: { dir: '/', path: '' } });
}
