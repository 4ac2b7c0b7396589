import { delimiter, isAbsolute, join } from 'node:path';
import { AppError, messageOf } from '../errors.ts';
import { run } from '../process/run.ts';
import type { AgentConfig } from '../schema/config.ts';
import { realWorld, type World } from '../world.ts';
import type { Agent, Availability } from './agent.ts';
import { codexArguments } from './codex-arguments.ts';
import { codexEnvironment, codexHome } from './codex-environment.ts';
import { prepareCodex } from './codex-files.ts';
import { findCodexLogin } from './codex-login.ts';
import { codexMcp } from './codex-mcp.ts';
import { codexReader } from './codex-reader.ts';
import { PRICES, type PriceList } from './prices.ts';
import { type FoundProgram, findProgram, type ProgramSearch } from './program.ts';

/** A Codex agent's place in the configuration. */
export interface CodexAgentOptions {
  name: string;
  config: AgentConfig;
  search: ProgramSearch;
  /** The SHA-256 of each settings file of the repository that the user trusts. */
  trust: Readonly<Record<string, string>>;
  env?: NodeJS.ProcessEnv;
  prices?: PriceList;
  world?: World;
}

/** Each takes 200 MB and shares one account's limits with the others. */
const MOST_PARALLEL = 16;
const VERSION_MS = 10_000;
const INSTALL = 'Install it with npm install -g @openai/codex, or name the program in';
const LOG_IN = 'Run codex login, or set CODEX_API_KEY, then try again.';

/** Codex, headless: the prompt on stdin, its events on stdout, in its own sandbox, none of the repository's settings unless trusted. */
export function codexAgent(options: CodexAgentOptions): Agent {
  const { name, config, search, trust, env = process.env, prices = PRICES, world = realWorld } = options;
  const find = () => findCodex(config.command ?? 'codex', search);
  const versions = new Map<string, Promise<string>>();
  const version = (program: string) => {
    const asked = versions.get(program) ?? askVersion(program, search.path, env);
    versions.set(program, asked);
    return asked;
  };
  return {
    name,
    kind: 'codex',
    maxParallel: config.maxParallel ?? MOST_PARALLEL,
    vendor: /^(OPENAI|CODEX)_/,
    async available() {
      const program = find();
      if ('missing' in program) return unavailable(program.missing, `${INSTALL} agents.${name}.command.`);
      try {
        const detail = `${program.found} ${await version(program.found)}`;
        const login = await findCodexLogin({ program: program.found, path: search.path, config, env });
        if (login === undefined) return unavailable(`${detail}, not logged in`, LOG_IN);
        return { ok: true, detail: `${detail}, logged in by ${login}` };
      } catch (error) {
        versions.delete(program.found);
        const detail = `${program.found} does not start: ${messageOf(error)}`;
        return unavailable(detail, `${INSTALL} agents.${name}.command.`);
      }
    },
    async command(assignment) {
      const program = find();
      if ('missing' in program) throw new AppError('AGENT_MISSING', `Agent ${name}: ${program.missing}`, { name });
      const own = codexEnvironment(assignment, config.env);
      const facts = await prepareCodex(assignment, { home: codexHome(own), trust });
      const mcp = codexMcp(assignment.settings);
      return {
        command: [program.found, ...codexArguments(assignment, { ...facts, mcp: mcp.servers }, config.args)],
        env: { ...own, ...mcp.env },
        stdin: assignment.promptFile,
        pipeOutput: true,
      };
    },
    reader: (assignment) =>
      codexReader({ assignment, home: codexHome(codexEnvironment(assignment, config.env)), prices, world }),
  };
}

/** A bare name is looked for on PATH alone: a file of that name in the repository is not the user's program. */
function findCodex(command: string, search: ProgramSearch): FoundProgram {
  if (command.includes('/')) return findProgram(command, search);
  const folders = search.path.split(delimiter).filter(isAbsolute);
  const programs = folders.map((folder) => findProgram(join(folder, command), search));
  return programs.find((program) => 'found' in program) ?? { missing: `${command} is not on PATH` };
}

async function askVersion(program: string, path: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { code, timedOut, stdout, stderr } = await run([program, '--version'], {
    env: { PATH: path, HOME: env.HOME ?? '/' },
    timeoutMs: VERSION_MS,
  });
  if (timedOut) throw new Error(`--version took longer than ${VERSION_MS / 1000} s`);
  const version = /\d+\.\d+\.\d+\S*/.exec(stdout.toString('utf8'))?.[0];
  if (code !== 0 || version === undefined) throw new Error(stderr.trim() || `--version ended with ${code}`);
  return version;
}

function unavailable(detail: string, nextStep: string): Availability {
  return { ok: false, detail, nextStep };
}
