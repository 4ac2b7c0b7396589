import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Agent, Assignment, AssignmentSettings } from '../../src/agents/agent.ts';
import { claudeAgent } from '../../src/agents/claude/claude.ts';
import { trustedFiles } from '../../src/engine/attempt/agent-settings.ts';
import { AgentConfig } from '../../src/schema/config/agent.ts';
import { PLAIN_SETTINGS } from '../contracts/attempt.ts';
import type { Script, Step } from './model-server/step.ts';
import type { ModelServer } from './model-server.ts';
import type { Sandbox } from './sandbox.ts';
import { makeRealAssignment, type RunHooks, runAgent } from './support.ts';

/** What a test changes of an attempt. */
export type More = Partial<Omit<Assignment, 'settings' | 'env'>> & {
  settings?: Partial<AssignmentSettings>;
  env?: Record<string, string>;
};

type ScriptedRun = { script: Script; more?: More; trust?: Record<string, string>; hooks?: RunHooks; prompt?: string };

export const MODEL = 'claude-sonnet-4-5';
export const MCP_SERVER = fileURLToPath(new URL('../fixtures/agents/mcp-server.mjs', import.meta.url));

export const bash = (command: string, more: object = {}): Step => ({
  call: [{ name: 'Bash', args: { command, description: 'Run', ...more } }],
});
export const write = (sandbox: Sandbox, name: string): Step => ({
  call: [{ name: 'Write', args: { file_path: join(sandbox.workspace, name), content: `${name}\n` } }],
});

/** Plays attempts of the real Claude Code against a scripted model. */
export function claudeFixture(server: ModelServer, program: string) {
  let scenarios = 0;

  const make = (): Agent =>
    claudeAgent({
      name: 'claude',
      config: AgentConfig.parse({ kind: 'claude', command: program }),
      search: { dir: '/', path: '' },
    });

  async function perform(sandbox: Sandbox, { script, more = {}, trust, hooks, prompt = 'Do the task.' }: ScriptedRun) {
    scenarios += 1;
    const name = `claude-${scenarios}`;
    const { settings, env, ...rest } = more;
    const trusted = await trustedFiles({ workspace: sandbox.workspace, access: 'write' }, trust ?? {});
    const assignment = await makeRealAssignment(sandbox, prompt, {
      ...rest,
      settings: { ...PLAIN_SETTINGS, model: MODEL, trusted, ...settings },
      env: {
        ...sandbox.env,
        ANTHROPIC_BASE_URL: server.scenario(name, script),
        ANTHROPIC_API_KEY: 'test-key',
        CLAUDE_CODE_MAX_RETRIES: '1',
        ...env,
      },
    });
    const run = await runAgent(make(), assignment, hooks);
    const requests = server.requests(name).filter(({ isAside }) => !isAside);
    return { ...run, requests, assignment };
  }

  return { make, perform };
}
