import { AppError, messageOf } from '../errors.ts';
import type { AgentConfig } from '../schema/config.ts';
import type { Agent, Availability } from './agent.ts';
import { claudeArguments } from './claude-arguments.ts';
import { claudeEnvironment } from './claude-environment.ts';
import { writeClaudeFiles } from './claude-files.ts';
import { findLogin } from './claude-login.ts';
import { claudeReader } from './claude-reader.ts';
import type { ProgramSearch } from './program.ts';
import { findOnPath, versionOf } from './program-version.ts';

/** A Claude agent's place in the configuration. */
export interface ClaudeAgentOptions {
  name: string;
  config: AgentConfig;
  search: ProgramSearch;
  /** The SHA-256 of each settings file of the repository that the user trusts. */
  trust: Readonly<Record<string, string>>;
  env?: NodeJS.ProcessEnv;
}

/** Each takes 200 to 300 MB and shares one account's limits with the others. */
const MOST_PARALLEL = 16;
const INSTALL = 'Install it with npm install -g @anthropic-ai/claude-code, or name the program in';

/** Claude Code, headless: the prompt on stdin, its events on stdout, none of the repository's settings unless trusted. */
export function claudeAgent({ name, config, search, trust, env = process.env }: ClaudeAgentOptions): Agent {
  const find = () => findOnPath(config.command ?? 'claude', search);
  const asking = { PATH: search.path, HOME: env.HOME ?? '/', DISABLE_AUTOUPDATER: '1' };
  return {
    name,
    kind: 'claude',
    maxParallel: config.maxParallel ?? MOST_PARALLEL,
    vendor: /^(ANTHROPIC|CLAUDE)_/,
    async available() {
      const program = find();
      if ('missing' in program) return unavailable(program.missing, `${INSTALL} agents.${name}.command.`);
      try {
        const detail = `${program.found} ${await versionOf(program.found, asking)}`;
        return withLogin(detail, findLogin({ config, env }));
      } catch (error) {
        const detail = `${program.found} does not start: ${messageOf(error)}`;
        return unavailable(detail, `${INSTALL} agents.${name}.command.`);
      }
    },
    async command(assignment) {
      const program = find();
      if ('missing' in program) throw new AppError('AGENT_MISSING', `Agent ${name}: ${program.missing}`, { name });
      const files = await writeClaudeFiles(assignment, trust);
      return {
        command: [program.found, ...claudeArguments(assignment, files), ...config.args],
        env: claudeEnvironment(assignment, config.env),
        stdin: assignment.promptFile,
        pipeOutput: true,
      };
    },
    reader: ({ workspace }) => claudeReader(workspace),
  };
}

function withLogin(detail: string, login: string | undefined): Availability {
  if (login !== undefined) return { ok: true, detail: `${detail}, logged in by ${login}` };
  return unavailable(
    `${detail}, not logged in`,
    'Run claude and log in with /login, or set ANTHROPIC_API_KEY, then try again.',
  );
}

function unavailable(detail: string, nextStep: string): Availability {
  return { ok: false, detail, nextStep };
}
