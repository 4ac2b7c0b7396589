import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Assignment, AssignmentSettings } from '../../src/agents/agent.ts';
import { geminiAgent } from '../../src/agents/gemini.ts';
import { AgentConfig } from '../../src/schema/config/agent.ts';
import { PLAIN_SETTINGS } from '../contracts/attempt.ts';
import type { Script, Step } from './model-server/step.ts';
import type { ModelServer } from './model-server.ts';
import { makeRealAssignment, type RunHooks, runAgent } from './support.ts';
import type { Workplace } from './workplace.ts';

type More = Partial<Omit<Assignment, 'settings'>> & { settings?: Partial<AssignmentSettings> };
type Play = { script?: Script; base?: string; more?: More; trust?: Record<string, string>; hooks?: RunHooks };

export const MODEL = 'gemini-2.5-flash';
/** Its own retries would take a minute each where a quota of a minute is used up. */
const USER_SETTINGS = { security: { auth: { selectedType: 'gemini-api-key' } }, general: { maxAttempts: 1 } };

export const shell = (command: string): Step => ({
  call: [{ name: 'run_shell_command', args: { command, description: 'Run' } }],
});
export const write = (name: string): Step => ({
  call: [{ name: 'write_file', args: { file_path: name, content: `${name}\n` } }],
});

/** Plays attempts of the real Gemini CLI against a scripted model. */
export function geminiStage(server: ModelServer, program: string) {
  let scenarios = 0;

  const make = (trust: Record<string, string> = {}) =>
    geminiAgent({
      name: 'gemini',
      config: AgentConfig.parse({ kind: 'gemini', command: program }),
      search: { dir: '/', path: '' },
      trust,
    });

  async function play(place: Workplace, { script = [], base, more = {}, trust, hooks }: Play) {
    scenarios += 1;
    const name = `gemini-${scenarios}`;
    const scripted = server.scenario(name, script);
    const { settings, ...rest } = more;
    await writeFile(join(place.home, '.gemini', 'settings.json'), JSON.stringify(USER_SETTINGS));
    const assignment = await makeRealAssignment(place, 'Write to @scope/package.\n$HOME `id` "quotes"\n', {
      ...rest,
      settings: { ...PLAIN_SETTINGS, model: MODEL, ...settings },
      env: { ...place.env, GEMINI_API_KEY: 'test-key', GOOGLE_GEMINI_BASE_URL: base ?? scripted },
    });
    const run = await runAgent(make(trust), assignment, hooks);
    return { ...run, assignment, requests: server.requests(name).filter(({ isAside }) => !isAside) };
  }

  return { make, play };
}
