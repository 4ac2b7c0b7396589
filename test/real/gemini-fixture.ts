import { join } from 'node:path';
import type { Assignment, AssignmentSettings } from '../../src/agents/agent.ts';
import { geminiAgent } from '../../src/agents/gemini/gemini.ts';
import { trustedFiles } from '../../src/engine/attempt/agent-settings.ts';
import { AgentConfig } from '../../src/schema/config/agent.ts';
import { PLAIN_SETTINGS } from '../contracts/attempt.ts';
import type { Script, Step } from './model-server/step.ts';
import type { ModelServer } from './model-server.ts';
import { type Sandbox, writeSettings } from './sandbox.ts';
import { makeRealAssignment, type RunHooks, runAgent } from './support.ts';

type More = Partial<Omit<Assignment, 'settings'>> & { settings?: Partial<AssignmentSettings> };
type ScriptedRun = {
  script?: Script;
  base?: string;
  more?: More;
  trust?: Record<string, string>;
  hooks?: RunHooks;
  attempts?: number;
};

export const MODEL = 'gemini-2.5-flash';
/** Its own retries would take a minute each where a quota of a minute is used up. */
const userSettings = (maxAttempts: number) => ({
  security: { auth: { selectedType: 'gemini-api-key' } },
  general: { maxAttempts },
});

export const shell = (command: string): Step => ({
  call: [{ name: 'run_shell_command', args: { command, description: 'Run' } }],
});
export const write = (name: string): Step => ({
  call: [{ name: 'write_file', args: { file_path: name, content: `${name}\n` } }],
});

/** Plays attempts of the real Gemini CLI against a scripted model. */
export function geminiFixture(server: ModelServer, program: string) {
  let scenarios = 0;

  const make = () =>
    geminiAgent({
      name: 'gemini',
      config: AgentConfig.parse({ kind: 'gemini', command: program }),
      search: { dir: '/', path: '' },
    });

  async function perform(sandbox: Sandbox, { script = [], base, more = {}, trust, hooks, attempts = 1 }: ScriptedRun) {
    scenarios += 1;
    const name = `gemini-${scenarios}`;
    const scripted = server.scenario(name, script);
    const { settings, ...rest } = more;
    const trusted = await trustedFiles({ workspace: sandbox.workspace, access: 'write' }, trust ?? {});
    await writeSettings(sandbox.home, join('.gemini', 'settings.json'), JSON.stringify(userSettings(attempts)));
    const assignment = await makeRealAssignment(sandbox, 'Write to @scope/package.\n$HOME `id` "quotes"\n', {
      ...rest,
      settings: { ...PLAIN_SETTINGS, model: MODEL, trusted, ...settings },
      env: { ...sandbox.env, GEMINI_API_KEY: 'test-key', GOOGLE_GEMINI_BASE_URL: base ?? scripted },
    });
    const run = await runAgent(make(), assignment, hooks);
    return { ...run, assignment, requests: server.requests(name).filter(({ isAside }) => !isAside) };
  }

  return { make, perform };
}
