import { fileURLToPath } from 'node:url';
import type { Agent, Assignment, AssignmentSettings } from '../../src/agents/agent.ts';
import { codexAgent } from '../../src/agents/codex/codex.ts';
import { trustedFiles } from '../../src/engine/attempt/agent-settings.ts';
import { AgentConfig } from '../../src/schema/config/agent.ts';
import { PLAIN_SETTINGS } from '../contracts/attempt.ts';
import { codexProvider } from './invocations.ts';
import type { Script, Step } from './model-server/step.ts';
import type { ModelServer } from './model-server.ts';
import type { Sandbox } from './sandbox.ts';
import { makeRealAssignment, type RunHooks, runAgent } from './support.ts';

/** What a test changes of an attempt. */
export type More = Partial<Omit<Assignment, 'settings'>> & { settings?: Partial<AssignmentSettings> };
type ScriptedRun = {
  script: Script;
  more?: More;
  args?: readonly string[];
  trust?: Record<string, string>;
  hooks?: RunHooks;
  prompt?: string;
  base?: string;
  idleMs?: number;
  retries?: number;
};

export const MODEL = 'gpt-5.5';
export const MCP_SERVER = fileURLToPath(new URL('../fixtures/agents/mcp-server.mjs', import.meta.url));
export const LIMITS = { inactivityMs: 60_000, runtimeMs: 60_000, outputBytes: 10_000_000 } as const;
/** Its sandbox lets it write in temporary folders, where our workplaces are. */
const NO_TEMPORARY = ['exclude_slash_tmp', 'exclude_tmpdir_env_var'].flatMap((name) => [
  '-c',
  `sandbox_workspace_write.${name}=true`,
]);

export const shell = (cmd: string, more: object = {}): Step => ({
  call: [{ name: 'exec_command', args: { cmd, ...more } }],
});
export const patch = (path: string): Step => ({
  call: [{ name: 'apply_patch', input: `*** Begin Patch\n*** Add File: ${path}\n+hello\n*** End Patch\n` }],
});
export const commit = shell('git add -A && git commit -qm scripted');

/** Plays attempts of the real Codex against a scripted model. */
export function codexFixture(server: ModelServer, program: string) {
  let scenarios = 0;

  const make = (args: readonly string[]): Agent =>
    codexAgent({
      name: 'codex',
      config: AgentConfig.parse({
        kind: 'codex',
        command: program,
        args: [...NO_TEMPORARY, ...args],
        env: { SCRIPTED_KEY: 'test-key' },
      }),
      search: { dir: '/', path: '' },
    });

  async function perform(sandbox: Sandbox, { script, more = {}, prompt = 'Do the task.', hooks, ...how }: ScriptedRun) {
    scenarios += 1;
    const name = `codex-${scenarios}`;
    const { settings, ...rest } = more;
    const trusted = await trustedFiles({ workspace: sandbox.workspace, access: 'write' }, how.trust ?? {});
    const assignment = await makeRealAssignment(sandbox, prompt, {
      ...rest,
      settings: { ...PLAIN_SETTINGS, model: MODEL, trusted, ...settings },
    });
    const base = server.scenario(name, script);
    const provider = codexProvider(how.base ?? base, how);
    const agent = make([...provider, ...(how.args ?? [])]);
    const run = await runAgent(agent, assignment, hooks);
    return { ...run, agent, assignment, requests: server.requests(name).filter(({ isAside }) => !isAside) };
  }

  return { perform };
}
