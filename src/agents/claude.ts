import { delimiter, isAbsolute, join } from 'node:path';
import { AppError, messageOf } from '../errors.ts';
import { run } from '../process/run.ts';
import type { AgentConfig } from '../schema/config.ts';
import type { Agent, Availability } from './agent.ts';
import { claudeArguments } from './claude-arguments.ts';
import { claudeEnvironment } from './claude-environment.ts';
import { writeClaudeFiles } from './claude-files.ts';
import { findLogin } from './claude-login.ts';
import { claudeReader } from './claude-reader.ts';
import { type FoundProgram, findProgram, type ProgramSearch } from './program.ts';

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
const VERSION_MS = 10_000;
const INSTALL = 'Install it with npm install -g @anthropic-ai/claude-code, or name the program in';

/** Claude Code, headless: the prompt on stdin, its events on stdout, none of the repository's settings unless trusted. */
export function claudeAgent({ name, config, search, trust, env = process.env }: ClaudeAgentOptions): Agent {
  const find = () => findClaude(config.command ?? 'claude', search);
  const versions = new Map<string, Promise<string>>();
  const version = (program: string) => {
    const asked = versions.get(program) ?? askVersion(program, search.path, env);
    versions.set(program, asked);
    return asked;
  };
  return {
    name,
    kind: 'claude',
    maxParallel: config.maxParallel ?? MOST_PARALLEL,
    vendor: /^(ANTHROPIC|CLAUDE)_/,
    async available() {
      const program = find();
      if ('missing' in program) return unavailable(program.missing, `${INSTALL} agents.${name}.command.`);
      try {
        const detail = `${program.found} ${await version(program.found)}`;
        return withLogin(detail, findLogin({ config, env }));
      } catch (error) {
        versions.delete(program.found);
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

/** A bare name is looked for on PATH alone: a file of that name in the repository is not the user's program. */
function findClaude(command: string, search: ProgramSearch): FoundProgram {
  if (command.includes('/')) return findProgram(command, search);
  const folders = search.path.split(delimiter).filter(isAbsolute);
  const programs = folders.map((folder) => findProgram(join(folder, command), search));
  return programs.find((program) => 'found' in program) ?? { missing: `${command} is not on PATH` };
}

async function askVersion(program: string, path: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { code, timedOut, stdout, stderr } = await run([program, '--version'], {
    env: { PATH: path, HOME: env.HOME ?? '/', DISABLE_AUTOUPDATER: '1' },
    timeoutMs: VERSION_MS,
  });
  if (timedOut) throw new Error(`--version took longer than ${VERSION_MS / 1000} s`);
  const version = /\d+\.\d+\.\d+\S*/.exec(stdout.toString('utf8'))?.[0];
  if (code !== 0 || version === undefined) throw new Error(stderr.trim() || `--version ended with ${code}`);
  return version;
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
