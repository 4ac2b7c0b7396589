import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { AgentConfig } from '../../schema/config/agent.ts';
import type { LoginPath } from '../../schema/config/sandbox.ts';
import type { Agent, Assignment } from '../agent.ts';
import { attemptEnvironment } from '../attempt-environment.ts';
import { interactiveReader } from '../interactive-reader.ts';
import { geminiLogin } from '../login-paths.ts';
import type { PriceList } from '../prices.ts';
import { findOnPath, requireProgram } from '../program.ts';
import { programAvailability, versionOf } from '../program-availability.ts';
import { promptArgument, type VendorAgentOptions } from '../vendor-agent.ts';
import { GEMINI_NETWORK } from '../vendor-network.ts';
import { type GeminiHome, prepareGeminiHome } from './gemini-home.ts';
import { geminiRights } from './gemini-permissions.ts';
import { geminiReader } from './gemini-reader.ts';

const LOGIN_FILES = ['oauth_creds.json', 'gemini-credentials.json', '.env'] as const;

/** Variables that select a login. */
const LOGIN_VARIABLES = ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_APPLICATION_CREDENTIALS'] as const;

type GeminiAgentOptions = VendorAgentOptions & {
  prices?: PriceList;
};

/** Each uses 250 to 400 MB and shares one account's limits with the others. */
const MAX_PARALLEL = 16;
/** Quitting with Ctrl-C is not a failure. */
const QUITS = [130];
const SETTINGS = '.gemini/settings.json';
const INSTALL = 'Install it with npm install -g @google/gemini-cli, or name the program in';
const LOG_IN = 'Run gemini and log in, or set GEMINI_API_KEY, then try again.';

/** Gemini CLI, headless: the prompt on stdin, its events on stdout, in a home of its own with the user's login linked. */
export function geminiAgent(options: GeminiAgentOptions): Agent {
  const { name, config, search, env = process.env, isOfProject } = options;
  const find = () => findOnPath(config.command ?? 'gemini', search);
  return {
    name,
    kind: 'gemini',
    capabilities: { model: true, scripted: false, pictures: true, instructions: true, rules: true, modelApi: 'gemini' },
    maxParallel: config.maxParallel ?? MAX_PARALLEL,
    vendor: /^(GEMINI|GOOGLE)_/,
    network: GEMINI_NETWORK,
    available: () =>
      programAvailability(find(), {
        version: (program) => versionInTemporaryHome(program, search.path),
        login: () => findGeminiLogin(config, env),
        install: `${INSTALL} agents.${name}.command.`,
        logIn: LOG_IN,
        isOfProject,
      }),
    async command(assignment) {
      const program = requireProgram(name, find());
      const { home, env: own, isTrusted, login } = await prepare(assignment, config.env);
      return {
        command: [program, ...geminiArguments(assignment, home, isTrusted), ...config.args],
        env: own,
        login,
        stdin: assignment.promptFile,
        pipeOutput: true,
      };
    },
    reader: (assignment) => geminiReader(assignment, options.prices),
    interactive: {
      async command(assignment) {
        const program = requireProgram(name, find());
        const { home, env: own, isTrusted, login } = await prepare(assignment, config.env);
        const prompt = await promptArgument(assignment.promptFile);
        return {
          command: [program, ...config.args, ...geminiTerminalArguments(assignment, { home, isTrusted, prompt })],
          env: own,
          login,
        };
      },
      reader: () => interactiveReader({ usage: { kind: 'unknown' }, quitCodes: QUITS }),
    },
  };
}

type Prepared = { home: GeminiHome; env: Record<string, string>; isTrusted: boolean; login: LoginPath[] };

/** Creates the attempt's own home, and the environment that selects it. */
async function prepare(assignment: Assignment, agentEnv: Record<string, string>): Promise<Prepared> {
  const { account } = assignment.settings;
  const configured = { ...agentEnv, ...account?.env };
  const inherited = { ...withoutLogins(assignment), ...configured };
  const isTrusted = assignment.settings.trusted.some(({ path }) => path === SETTINGS);
  const userFolder = userFolderOf(inherited, account?.configDir);
  const home = await prepareGeminiHome(assignment, { userFolder, env: inherited, configured, isTrusted });
  const env = attemptEnvironment({ ...assignment, env: inherited }, geminiVariables(home, isTrusted));
  return { home, env, isTrusted, login: [home.path, ...geminiLogin(userFolder, assignment.workspace)] };
}

/** Even --version writes files into its home. */
async function versionInTemporaryHome(program: string, path: string): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'mh-gemini-'));
  try {
    const env = { PATH: path, HOME: home, GEMINI_CLI_HOME: home, GEMINI_CLI_NO_RELAUNCH: 'true' };
    return await versionOf(program, env);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** A selected account is the only login that is used. */
function withoutLogins({ env, settings }: Assignment): Record<string, string> {
  if (settings.account === undefined) return env;
  const dropped = new Set<string>([...LOGIN_VARIABLES, 'GEMINI_CLI_HOME']);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !dropped.has(name)));
}

/** The user's own Gemini folder: inside the configured home, or that folder itself. */
function userFolderOf(env: NodeJS.ProcessEnv, configDir?: string): string {
  const home = configDir ?? (env.GEMINI_CLI_HOME || env.HOME || homedir());
  return basename(home) === '.gemini' ? home : join(home, '.gemini');
}

/** Gemini's credential, as far as it can be found without a request to its vendor. */
function findGeminiLogin(config: Pick<AgentConfig, 'env' | 'accounts'>, env: NodeJS.ProcessEnv): string | undefined {
  const sources = [
    { variables: { ...env, ...config.env }, folder: userFolderOf({ ...env, ...config.env }) },
    ...Object.values(config.accounts).map((account) => ({
      variables: account.env,
      folder: userFolderOf({ ...env, ...account.env }, account.configDir),
    })),
  ];
  for (const { variables, folder } of sources) {
    const variable = LOGIN_VARIABLES.find((name) => (variables[name] ?? '') !== '');
    const file = LOGIN_FILES.map((name) => join(folder, name)).find((path) => existsSync(path));
    if (variable !== undefined || file !== undefined) return variable ?? file;
  }
  return undefined;
}

/** The arguments of one attempt; the prompt is on stdin, which is what makes it headless. */
function geminiArguments(assignment: Assignment, home: GeminiHome, isTrusted: boolean): string[] {
  return ['--output-format', 'stream-json', ...commonArguments(assignment, home, isTrusted)];
}

/** The arguments of an attempt in a terminal; the session continues after the prompt. */
function geminiTerminalArguments(
  assignment: Assignment,
  { home, isTrusted, prompt }: { home: GeminiHome; isTrusted: boolean; prompt: string },
): string[] {
  return [...commonArguments(assignment, home, isTrusted), `--prompt-interactive=${prompt}`];
}

function commonArguments(assignment: Assignment, home: GeminiHome, isTrusted: boolean): string[] {
  const { settings, session } = assignment;
  return [
    ...['--extensions', 'none'],
    ...['--approval-mode', geminiRights(assignment).mode, '--policy', home.policy],
    ...(isTrusted ? [] : ['--skip-trust']),
    ...(settings.model === undefined ? [] : ['--model', settings.model]),
    ...(session === undefined ? [] : ['--resume', session]),
  ];
}

/**
 * The variables that we set. In an untrusted repository Gemini reads them first and so ignores its settings, and
 * `--skip-trust` then lets it work there.
 */
function geminiVariables(home: GeminiHome, isTrusted: boolean): Record<string, string> {
  return {
    GEMINI_CLI_HOME: home.path,
    GEMINI_CLI_NO_RELAUNCH: 'true',
    GEMINI_CLI_TRUST_WORKSPACE: String(isTrusted),
  };
}
