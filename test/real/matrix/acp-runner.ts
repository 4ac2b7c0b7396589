import { join } from 'node:path';
import { acpAgent } from '../../../src/agents/acp/acp.ts';
import { AgentConfig } from '../../../src/schema/config/agent.ts';
import { PLAIN_SETTINGS } from '../../contracts/attempt.ts';
import { type AcpProgram, SPEAKERS } from '../acp-speakers.ts';
import type { ModelServer } from '../model-server.ts';
import { writeSettings } from '../sandbox.ts';
import { makeRealAssignment, runAgent } from '../support.ts';
import type { CaseRunner } from './case-runner.ts';

const WAIT_MS = 60_000;

/** Any program that speaks ACP. */
export function acpRunner(server: ModelServer, program: string, name: AcpProgram): CaseRunner {
  const speaker = SPEAKERS[name];
  let scenarios = 0;
  return {
    async runCase(place, { script, base, more, settings, hooks, retries = 0, waitMs = WAIT_MS }) {
      scenarios += 1;
      const scenario = `${name}-acp-${scenarios}`;
      const scripted = server.scenario(scenario, script);
      const how = { base: base ?? scripted, retries, waitMs };
      for (const [file, text] of Object.entries(speaker.files(how))) await writeSettings(place.home, file, text);
      // Which settings of the repository it trusts is decided by the adapter.
      const { GEMINI_CLI_TRUST_WORKSPACE: _, ...env } = speaker.env(how);
      const config = { kind: 'acp', command: program, args: speaker.args, env };
      const agent = acpAgent({ name, config: AgentConfig.parse(config), search: { dir: '/', path: '' } });
      const assignment = await makeRealAssignment(place, 'Do the task.\n', {
        ...more,
        settings: { ...PLAIN_SETTINGS, ...settings },
      });
      const run = await runAgent(agent, assignment, hooks);
      return { ...run, requests: server.requests(scenario).filter(({ isAside }) => !isAside) };
    },
    write: ({ workspace }, file) => speaker.write(workspace, file),
    run: speaker.run,
    tool: speaker.tool,
    answer: (output) => ({ say: `So:\n${JSON.stringify(output)}` }),
    forbidden: ({ workspace }) => ({
      step: speaker.write(workspace, 'made.txt'),
      file: join(workspace, 'made.txt'),
      more: { more: { access: 'read' }, settings: { permission: 'plan' } },
    }),
    ...(speaker.beforeResume === undefined ? {} : { beforeResume: speaker.beforeResume }),
    refusalUsage: speaker.saysRefusals ? 'unknown' : 'none',
    between: 1,
  };
}
