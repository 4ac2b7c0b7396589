import { realWorld, type World } from '../../world.ts';
import type { Agent } from '../agent.ts';
import { promptArgument } from '../interactive-prompt.ts';
import { interactiveReader } from '../interactive-reader.ts';
import { PRICES, type PriceList } from '../prices.ts';
import { findOnPath, requireProgram } from '../program.ts';
import { programAvailability } from '../program-availability.ts';
import { readVersion } from '../program-version.ts';
import type { VendorAgentOptions } from '../vendor-agent.ts';
import { codexArguments, codexTerminalArguments } from './codex-arguments.ts';
import { codexEnvironment, codexHome } from './codex-environment.ts';
import { prepareCodex } from './codex-files.ts';
import { findCodexLogin } from './codex-login.ts';
import { codexMcp } from './codex-mcp.ts';
import { codexReader } from './codex-reader.ts';

type CodexAgentOptions = VendorAgentOptions & {
  prices?: PriceList;
  world?: World;
};

/** Each uses 200 MB and shares one account's limits with the others. */
const MAX_PARALLEL = 16;
const VERSION_MS = 10_000;
/** Quitting with Ctrl-C is not a failure. */
const QUITS = [130];
const INSTALL = 'Install it with npm install -g @openai/codex, or name the program in';
const LOG_IN = 'Run codex login, or set CODEX_API_KEY, then try again.';

/** Codex, headless: the prompt on stdin, its events on stdout, in its own sandbox, none of the repository's settings unless trusted. */
export function codexAgent(options: CodexAgentOptions): Agent {
  const { name, config, search, env = process.env, prices = PRICES, world = realWorld } = options;
  const find = () => findOnPath(config.command ?? 'codex', search);
  const versions = new Map<string, Promise<string>>();
  const version = async (program: string) => {
    const pending =
      versions.get(program) ?? readVersion(program, { PATH: search.path, HOME: env.HOME ?? '/' }, VERSION_MS);
    versions.set(program, pending);
    try {
      return await pending;
    } catch (error) {
      versions.delete(program);
      throw error;
    }
  };
  return {
    name,
    kind: 'codex',
    capabilities: { model: true, scripted: false, pictures: true, instructions: true, modelApi: 'openai' },
    maxParallel: config.maxParallel ?? MAX_PARALLEL,
    vendor: /^(OPENAI|CODEX)_/,
    available: () =>
      programAvailability(find(), {
        version,
        login: (program) => findCodexLogin({ program, path: search.path, config, env }),
        install: `${INSTALL} agents.${name}.command.`,
        logIn: LOG_IN,
      }),
    async command(assignment) {
      const program = requireProgram(name, find());
      const own = codexEnvironment(assignment, config.env);
      const facts = await prepareCodex(assignment, codexHome(own));
      const mcp = codexMcp(assignment.settings);
      return {
        command: [program, ...codexArguments(assignment, { ...facts, mcp: mcp.servers }, config.args)],
        env: { ...own, ...mcp.env },
        stdin: assignment.promptFile,
        pipeOutput: true,
      };
    },
    reader: (assignment) =>
      codexReader({ assignment, home: codexHome(codexEnvironment(assignment, config.env)), prices, world }),
    interactive: {
      async command(assignment) {
        const program = requireProgram(name, find());
        const own = codexEnvironment(assignment, config.env);
        const facts = await prepareCodex(assignment, codexHome(own));
        const mcp = codexMcp(assignment.settings);
        const terminal = { added: config.args, prompt: await promptArgument(assignment.promptFile) };
        return {
          command: [program, ...codexTerminalArguments(assignment, { ...facts, mcp: mcp.servers }, terminal)],
          env: { ...own, ...mcp.env },
        };
      },
      reader: () => interactiveReader({ usage: { kind: 'unknown' }, quitCodes: QUITS }),
    },
  };
}
