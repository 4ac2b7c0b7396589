import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Agent, Assignment } from './agent.ts';
import { attemptEnvironment } from './attempt-environment.ts';
import { geminiArguments, geminiVariables } from './gemini-arguments.ts';
import { prepareGeminiHome } from './gemini-home.ts';
import { findGeminiLogin, LOGIN_VARIABLES, userFolderOf } from './gemini-login.ts';
import { geminiReader } from './gemini-reader.ts';
import type { PriceList } from './prices.ts';
import { findOnPath, requireProgram } from './program.ts';
import { programAvailability } from './program-availability.ts';
import { versionOf } from './program-version.ts';
import type { VendorAgentOptions } from './vendor-agent.ts';

type GeminiAgentOptions = VendorAgentOptions & {
  prices?: PriceList;
};

/** Each takes 250 to 400 MB and shares one account's limits with the others. */
const MOST_PARALLEL = 16;
const SETTINGS = '.gemini/settings.json';
const INSTALL = 'Install it with npm install -g @google/gemini-cli, or name the program in';
const LOG_IN = 'Run gemini and log in, or set GEMINI_API_KEY, then try again.';

/** Gemini CLI, headless: the prompt on stdin, its events on stdout, in a home of its own with the user's login linked. */
export function geminiAgent(options: GeminiAgentOptions): Agent {
  const { name, config, search, env = process.env } = options;
  const find = () => findOnPath(config.command ?? 'gemini', search);
  return {
    name,
    kind: 'gemini',
    maxParallel: config.maxParallel ?? MOST_PARALLEL,
    vendor: /^(GEMINI|GOOGLE)_/,
    available: () =>
      programAvailability(find(), {
        version: (program) => askVersion(program, search.path),
        login: () => findGeminiLogin(config, env),
        install: `${INSTALL} agents.${name}.command.`,
        logIn: LOG_IN,
      }),
    async command(assignment) {
      const program = requireProgram(name, find());
      const { account } = assignment.settings;
      const given = { ...config.env, ...account?.env };
      const inherited = { ...withoutLogins(assignment), ...given };
      const isTrusted = assignment.settings.trusted.some(({ path }) => path === SETTINGS);
      const userFolder = userFolderOf(inherited, account?.configDir);
      const home = await prepareGeminiHome(assignment, { userFolder, env: inherited, given, isTrusted });
      return {
        command: [program, ...geminiArguments(assignment, home, isTrusted), ...config.args],
        env: attemptEnvironment({ ...assignment, env: inherited }, geminiVariables(home, isTrusted)),
        stdin: assignment.promptFile,
        pipeOutput: true,
      };
    },
    reader: (assignment) => geminiReader(assignment, options.prices),
  };
}

/** Whatever it is asked, it leaves files in its home. */
async function askVersion(program: string, path: string): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'mh-gemini-'));
  try {
    const env = { PATH: path, HOME: home, GEMINI_CLI_HOME: home, GEMINI_CLI_NO_RELAUNCH: 'true' };
    return await versionOf(program, env);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** A chosen account is the only login that counts. */
function withoutLogins({ env, settings }: Assignment): Record<string, string> {
  if (settings.account === undefined) return env;
  const dropped = new Set<string>([...LOGIN_VARIABLES, 'GEMINI_CLI_HOME']);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !dropped.has(name)));
}
