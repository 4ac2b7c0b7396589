import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { AgentConfig } from '../../schema/config/agent.ts';
import type { McpServer } from '../../schema/config/mcp.ts';
import type { LoginPath } from '../../schema/config/sandbox.ts';
import type { Agent, Assignment, AssignmentSettings } from '../agent.ts';
import { attemptEnvironment } from '../attempt-environment.ts';
import { interactiveReader } from '../interactive-reader.ts';
import { claudeLogin } from '../login-paths.ts';
import { findOnPath, requireProgram } from '../program.ts';
import { programAvailability, versionOf } from '../program-availability.ts';
import { accountVariables, promptArgument, type VendorAgentOptions } from '../vendor-agent.ts';
import { CLAUDE_NETWORK } from '../vendor-network.ts';
import { type ClaudeFiles, claudeArguments, claudeTerminalArguments } from './claude-arguments.ts';
import { claudeSettings } from './claude-hooks.ts';
import { claudeReader } from './claude-reader.ts';

const SETTINGS = '.claude/settings.json';

const MCP = '.mcp.json';

/** The inherited variables that select a login. */
const LOGIN_VARIABLES = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'] as const;

/** Variables that must not be set together with the selected login. */
const OF_A_LOGIN: ReadonlySet<string> = new Set([...LOGIN_VARIABLES, 'CLAUDE_CONFIG_DIR']);

/** Variables of the Claude session that this process was started from. */
const OF_ANOTHER_SESSION = /^CLAUDE_(PID|CODE_(CHILD_SESSION|ENTRYPOINT|EXECPATH|MESSAGING_\w+|SESSION_\w+|SSE_PORT))$/;

/** It waits three times (for two streams, then for a whole answer) before it reports an error; all three must fit into the inactivity limit. */
const WAIT_SHARE = 0.25;

const LONGEST_WAIT_MS = 120_000;

/** A command must end before its silence counts as a stall. */
const COMMAND_SHARE = 0.8;

const USUAL_COMMAND_MS = 120_000;

/** Where to search for a login. */
interface LoginSearch {
  config: Pick<AgentConfig, 'env' | 'accounts'>;
  env: NodeJS.ProcessEnv;
  platform?: NodeJS.Platform;
}

/** Other cloud providers that Claude can use, with their own logins. */
const CLOUDS = ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'] as const;

/** Each uses 200 to 300 MB and shares one account's limits with the others. */
const MAX_PARALLEL = 16;
const INSTALL = 'Install it with npm install -g @anthropic-ai/claude-code, or name the program in';
const LOG_IN = 'Run claude and log in with /login, or set ANTHROPIC_API_KEY, then try again.';

/** Quitting with Ctrl-C is not a failure. */
const QUITS = [130];

/** Claude Code, headless: the prompt on stdin, its events on stdout, none of the repository's settings unless trusted. */
export function claudeAgent({ name, config, search, env = process.env, isOfProject }: VendorAgentOptions): Agent {
  const find = () => findOnPath(config.command ?? 'claude', search);
  const versionEnv = { PATH: search.path, HOME: env.HOME ?? '/', DISABLE_AUTOUPDATER: '1' };
  return {
    name,
    kind: 'claude',
    capabilities: {
      model: true,
      scripted: false,
      pictures: true,
      instructions: true,
      rules: true,
      modelApi: 'anthropic',
    },
    maxParallel: config.maxParallel ?? MAX_PARALLEL,
    vendor: /^(ANTHROPIC|CLAUDE)_/,
    network: CLAUDE_NETWORK,
    available: () =>
      programAvailability(find(), {
        version: (program) => versionOf(program, versionEnv),
        login: () => findLogin({ config, env }),
        install: `${INSTALL} agents.${name}.command.`,
        logIn: LOG_IN,
        isOfProject,
      }),
    async command(assignment) {
      const program = requireProgram(name, find());
      const files = await writeClaudeFiles(assignment);
      const own = claudeEnvironment(assignment, config.env);
      return {
        command: [program, ...claudeArguments(assignment, files), ...config.args],
        env: own,
        login: loginFiles(own, assignment),
        stdin: assignment.promptFile,
        pipeOutput: true,
      };
    },
    reader: ({ workspace }) => claudeReader(workspace),
    interactive: {
      async command(assignment) {
        const program = requireProgram(name, find());
        const files = await writeClaudeFiles(assignment);
        const prompt = await promptArgument(assignment.promptFile);
        const terminal = { session: sessionOf(assignment), added: config.args, prompt };
        const own = claudeEnvironment(assignment, config.env);
        return {
          command: [program, ...claudeTerminalArguments(assignment, files, terminal)],
          env: own,
          login: loginFiles(own, assignment),
        };
      },
      reader: (assignment) =>
        interactiveReader({ usage: { kind: 'unknown' }, session: sessionOf(assignment), quitCodes: QUITS }),
    },
  };
}

/** The session id of an attempt in a terminal, derived from the attempt so that it is the same after adoption. */
function sessionOf({ session, attempt }: Assignment): string {
  if (session !== undefined) return session;
  const hex = createHash('sha256').update(`claude ${attempt}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

/** The files of Claude's login and its sessions. */
function loginFiles(env: Record<string, string>, { workspace }: Assignment): LoginPath[] {
  return claudeLogin({ home: env.HOME || homedir(), workspace, configDir: env.CLAUDE_CONFIG_DIR });
}

/** Claude's credential, as far as it can be found without a request to its vendor. */
function findLogin({ config, env, platform = process.platform }: LoginSearch): string | undefined {
  const environments = [
    { ...env, ...config.env },
    ...Object.values(config.accounts).map((account) => ({
      HOME: env.HOME,
      ...accountVariables(account, 'CLAUDE_CONFIG_DIR'),
    })),
  ];
  for (const environment of environments) {
    const login = loginIn(environment);
    if (login !== undefined) return login;
  }
  return platform === 'darwin' ? 'the keychain (not checked)' : undefined;
}

function loginIn(env: NodeJS.ProcessEnv): string | undefined {
  const variable = [...LOGIN_VARIABLES, ...CLOUDS].find((name) => (env[name] ?? '') !== '');
  if (variable !== undefined) return variable;
  const file = join(env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), '.claude'), '.credentials.json');
  return existsSync(file) ? file : undefined;
}

/** The whole environment of an attempt: our limits, overridden by the user's values, overridden by the selected login. */
function claudeEnvironment(assignment: Assignment, configured: Record<string, string>): Record<string, string> {
  const { account } = assignment.settings;
  const isPassedOn = (variable: string) =>
    !OF_ANOTHER_SESSION.test(variable) && (account === undefined || !OF_A_LOGIN.has(variable));
  const inherited = Object.entries(assignment.env).filter(([variable]) => isPassedOn(variable));
  const env = { ...bounds(assignment), ...Object.fromEntries(inherited) };
  return attemptEnvironment(
    { ...assignment, env },
    {
      ...configured,
      ...(account === undefined ? {} : accountVariables(account, 'CLAUDE_CONFIG_DIR')),
    },
  );
}

/** Its retries and waits end before the attempt's limit, so that it can report a failure; it contacts only its model and stores no notes. */
function bounds({ limits: { inactivityMs } }: Assignment): Record<string, string> {
  const waitMs = String(Math.min(LONGEST_WAIT_MS, Math.ceil(inactivityMs * WAIT_SHARE)));
  const commandMs = Math.ceil(inactivityMs * COMMAND_SHARE);
  return {
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    CLAUDE_CODE_MAX_RETRIES: '3',
    API_TIMEOUT_MS: waitMs,
    CLAUDE_ENABLE_BYTE_WATCHDOG: '1',
    CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS: waitMs,
    BASH_DEFAULT_TIMEOUT_MS: String(Math.min(USUAL_COMMAND_MS, commandMs)),
    BASH_MAX_TIMEOUT_MS: String(commandMs),
  };
}

/** Writes the files that are passed to Claude into the attempt's folder, readable only by the user. */
async function writeClaudeFiles(assignment: Assignment): Promise<ClaudeFiles> {
  const { folder, settings } = assignment;
  const trusted = (path: string) => settings.trusted.find((file) => file.path === path)?.text;
  const write = async (name: string, text: string | undefined): Promise<string[]> => {
    if (text === undefined || text === '') return [];
    const path = join(folder, name);
    await writeFile(path, text, { mode: 0o600 });
    return [path];
  };
  const [instructions] = await write('claude-instructions.md', instructionsFor(settings));
  const [obeyed] = await write('claude-settings.json', await claudeSettings(assignment, trusted(SETTINGS)));
  const mcp = [
    ...(await write('claude-mcp.json', mcpConfig(settings.mcp))),
    ...(await write('claude-mcp-trusted.json', trusted(MCP))),
  ];
  return {
    mcp,
    ...(instructions === undefined ? {} : { instructions }),
    ...(obeyed === undefined ? {} : { settings: obeyed }),
  };
}

/** Without setting sources Claude reads no CLAUDE.md, so the base's is passed to it; AGENTS.md replaces a missing one, or is imported. */
function instructionsFor({ instructions, native }: AssignmentSettings): string {
  const own = native['CLAUDE.md'];
  const isImported = own === undefined || /^\s*@(\.\/)?AGENTS\.md\s*$/m.test(own);
  return [own, isImported ? native['AGENTS.md'] : undefined, instructions]
    .filter((text) => text !== undefined && text.trim() !== '')
    .join('\n\n');
}

function mcpConfig(servers: AssignmentSettings['mcp']): string | undefined {
  const entries = Object.entries(servers).map(([name, server]) => [name, mcpServer(server)]);
  return entries.length === 0 ? undefined : JSON.stringify({ mcpServers: Object.fromEntries(entries) });
}

function mcpServer(server: McpServer): object {
  return 'url' in server ? { type: 'http', ...server } : { type: 'stdio', ...server };
}
