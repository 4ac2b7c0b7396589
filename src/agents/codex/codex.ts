import { readFileSync } from 'node:fs';
import { realpath, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../../errors.ts';
import { run } from '../../process/run.ts';
import type { AgentConfig } from '../../schema/config/agent.ts';
import { realWorld, type World } from '../../world.ts';
import type { Agent, Assignment } from '../agent.ts';
import { attemptEnvironment } from '../attempt-environment.ts';
import { interactiveReader } from '../interactive-reader.ts';
import { codexLogin } from '../login-paths.ts';
import { PRICES, type PriceList } from '../prices.ts';
import { findOnPath, requireProgram } from '../program.ts';
import { programAvailability, readVersion } from '../program-availability.ts';
import { prepareToolHook } from '../tool-hook.ts';
import { codexUserServers } from '../user-mcp-servers.ts';
import { accountVariables, areAllTrusted, promptArgument, type VendorAgentOptions } from '../vendor-agent.ts';
import { CODEX_NETWORK } from '../vendor-network.ts';
import { type CodexFacts, codexArguments, codexTerminalArguments } from './codex-arguments.ts';
import { codexMcp } from './codex-mcp.ts';
import { BEFORE_FILE, codexReader } from './codex-reader.ts';
import { findRollout } from './codex-rollout.ts';
import { codexOwnSandbox, codexSandboxOf } from './codex-sandbox.ts';
import { hasStrictForm, strictSchema } from './codex-schema.ts';

/** The inherited variables that select a login. */
const LOGIN_VARIABLES = ['CODEX_API_KEY', 'CODEX_ACCESS_TOKEN'] as const;

/** Variables of the Codex session that this process was started from. */
const OF_ANOTHER_SESSION = ['CODEX_SANDBOX', 'CODEX_SANDBOX_NETWORK_DISABLED', 'CODEX_THREAD_ID', 'CODEX_CI'];

/** Where to search for a login. */
interface CodexLoginSearch {
  program: string;
  path: string;
  config: Pick<AgentConfig, 'args' | 'env' | 'accounts'>;
  env: NodeJS.ProcessEnv;
}

const STATUS_MS = 10_000;

const OWN_PROVIDER = /^\s*(model_provider|oss_provider)\s*=/m;

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
  const { name, config, search, env = process.env, prices = PRICES, world = realWorld, isOfProject } = options;
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
    network: CODEX_NETWORK,
    ownSandbox: codexOwnSandbox({
      program: () => requireProgram(name, find()),
      login: (own) => codexLogin(codexHome(own)),
    }),
    available: () =>
      programAvailability(find(), {
        version,
        login: (program) => findCodexLogin({ program, path: search.path, config, env }),
        install: `${INSTALL} agents.${name}.command.`,
        logIn: LOG_IN,
        isOfProject,
      }),
    async command(assignment) {
      const program = requireProgram(name, find());
      const own = codexEnvironment(assignment, config.env);
      const facts = await prepareCodex(assignment, codexHome(own));
      const mcp = codexMcp(assignment.settings, codexUserServers(codexHome(own)));
      return {
        command: [program, ...codexArguments(assignment, { ...facts, mcp: mcp.servers }, config.args)],
        env: { ...own, ...mcp.env },
        login: codexLogin(codexHome(own), { now: world.now(), session: assignment.session }),
        ...readOnlyWorkspace(assignment),
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
        const mcp = codexMcp(assignment.settings, codexUserServers(codexHome(own)));
        const terminal = { added: config.args, prompt: await promptArgument(assignment.promptFile) };
        return {
          command: [program, ...codexTerminalArguments(assignment, { ...facts, mcp: mcp.servers }, terminal)],
          env: { ...own, ...mcp.env },
          login: codexLogin(codexHome(own), { now: world.now(), session: assignment.session }),
          ...readOnlyWorkspace(assignment),
        };
      },
      reader: () => interactiveReader({ usage: { kind: 'unknown' }, quitCodes: QUITS }),
    },
  };
}

/** What its own sandbox would prevent, ours prevents in its place. */
function readOnlyWorkspace(assignment: Assignment): { isWorkspaceReadOnly?: true } {
  const isReadOnly = assignment.isSandboxReplaced === true && codexSandboxOf(assignment) === 'read-only';
  return isReadOnly ? { isWorkspaceReadOnly: true } : {};
}

/** Collects the facts and writes the files that Codex needs before it starts. */
async function prepareCodex(assignment: Assignment, home: string): Promise<Omit<CodexFacts, 'mcp'>> {
  const { workspace, folder, session, outputSchema } = assignment;
  if (session !== undefined) await noteRollout(folder, findRollout(home, session));
  const schemaFile = join(folder, 'codex-schema.json');
  const isEnforced = outputSchema !== undefined && hasStrictForm(outputSchema);
  if (isEnforced) await writeFile(schemaFile, JSON.stringify(strictSchema(outputSchema)), { mode: 0o600 });
  const hook = await prepareToolHook(assignment, 'warnings');
  return {
    roots: [...new Set([workspace, await realpath(workspace)])],
    isTrusted: await areAllTrusted(workspace, ['.codex'], assignment.settings.trusted),
    ...(isEnforced ? { schemaFile } : {}),
    ...(hook === undefined ? {} : { hook }),
  };
}

/** Records the size of a thread's rollout before the attempt appends to it; only the first record counts. */
async function noteRollout(folder: string, rollout: string | undefined): Promise<void> {
  if (rollout === undefined) return;
  const { size } = await stat(rollout);
  try {
    await writeFile(join(folder, BEFORE_FILE), JSON.stringify({ rolloutBytes: size }), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

/** Codex' credential, as far as it can be found without a request to its vendor. */
async function findCodexLogin(search: CodexLoginSearch): Promise<string | undefined> {
  const { config, env } = search;
  const own = { ...env, ...config.env };
  const environments = [
    own,
    ...Object.values(config.accounts).map((account) => ({
      HOME: own.HOME,
      ...accountVariables(account, 'CODEX_HOME'),
    })),
  ];
  if (config.args.some((argument) => OWN_PROVIDER.test(argument))) return 'a custom provider (not checked)';
  for (const environment of environments) {
    const login = await loginIn(search, environment);
    if (login !== undefined) return login;
  }
  return undefined;
}

async function loginIn(search: CodexLoginSearch, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const variable = LOGIN_VARIABLES.find((name) => (env[name] ?? '') !== '');
  if (variable !== undefined) return variable;
  const home = codexHome(env);
  if (OWN_PROVIDER.test(readSettings(home))) return 'a custom provider (not checked)';
  // Only Codex knows whether the login is in a file or in a keyring.
  const { code } = await run([search.program, 'login', 'status'], {
    env: { PATH: search.path, HOME: env.HOME ?? '/', ...(env.CODEX_HOME ? { CODEX_HOME: home } : {}) },
    timeoutMs: STATUS_MS,
  });
  return code === 0 ? home : undefined;
}

function readSettings(home: string): string {
  try {
    return readFileSync(join(home, 'config.toml'), 'utf8');
  } catch (error) {
    // Missing settings are normal; Codex itself reports unreadable ones.
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EISDIR'].includes(errorCode(error) ?? '')) return '';
    throw error;
  }
}

/** The whole environment of an attempt: the user's values, overridden by the selected login. */
function codexEnvironment(assignment: Assignment, configured: Record<string, string>): Record<string, string> {
  const { account } = assignment.settings;
  const dropped = new Set<string>([
    ...OF_ANOTHER_SESSION,
    ...(account === undefined ? [] : [...LOGIN_VARIABLES, 'CODEX_HOME']),
  ]);
  const inherited = Object.entries(assignment.env).filter(([name]) => !dropped.has(name));
  return attemptEnvironment(
    { ...assignment, env: Object.fromEntries(inherited) },
    {
      ...configured,
      ...(account === undefined ? {} : accountVariables(account, 'CODEX_HOME')),
    },
  );
}

/** The folder of Codex' login, settings and sessions. */
function codexHome(env: Readonly<Record<string, string | undefined>>): string {
  return env.CODEX_HOME || join(env.HOME || homedir(), '.codex');
}
