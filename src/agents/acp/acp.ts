import { existsSync } from 'node:fs';
import { lstat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError, isAbsent } from '../../errors.ts';
import { AttemptRules } from '../../gates/scope/attempt-rules.ts';
import type { AgentConfig } from '../../schema/config/agent.ts';
import type { LoginPath } from '../../schema/config/sandbox.ts';
import type { Failure } from '../../schema/failure.ts';
import type { Usage } from '../../schema/usage.ts';
import { realWorld } from '../../world.ts';
import type { Agent, AgentEvent, AgentExit, AgentReader, Assignment } from '../agent.ts';
import { canBeReadOnly, type RestrictableProgram, restrictableProgram } from '../agent-kinds.ts';
import { attemptEnvironment } from '../attempt-environment.ts';
import { exitFailure } from '../exit-failure.ts';
import { parseJsonObject } from '../json-object.ts';
import { claudeLogin, codexLogin, geminiLogin, opencodeLogin } from '../login-paths.ts';
import { findOnPath, type ProgramSearch, requireProgram } from '../program.ts';
import { tailOfLines } from '../tail-of-lines.ts';
import { areAllTrusted } from '../vendor-agent.ts';
import { acpNetwork } from '../vendor-network.ts';
import type { AcpInput } from './acp-input.ts';
import { AcpLine } from './acp-line.ts';
import { withoutTitles, withoutUserServers } from './program-settings.ts';
import { openSessionRecord, type RecordTime, type SessionRecord } from './session-record.ts';

/** How a known program is prevented from obeying the repository's own settings. */
type Restriction = {
  /** The settings files and folders that it would obey. */
  files: readonly string[];
  /** Variables that disable or enable these settings. */
  env?: { without: Readonly<Record<string, string>>; with: Readonly<Record<string, string>> };
  /** Variables that make it request permission for what it would otherwise do by itself. */
  always?: Readonly<Record<string, string>>;
  /** Files, and folders with a slash at the end, that it always obeys. */
  obeyed?: readonly string[];
  /** If none of these files exists the restriction is not needed, which would also disable our MCP servers. */
  names?: readonly string[];
};

/** Opencode requests no permission by default, and the client never learns of requests of its subagents. */
const OPENCODE_PERMISSION = JSON.stringify({ edit: 'ask', bash: 'ask', external_directory: 'ask', task: 'deny' });

/** By program; Claude is restricted when its session is opened, and Codex trusts every folder it works in. */
const KNOWN: Readonly<Record<RestrictableProgram, Restriction>> = {
  claude: { files: ['.claude', '.mcp.json'], env: { without: {}, with: {} } },
  gemini: {
    files: ['.gemini'],
    names: ['.gemini', '.env'],
    env: { without: { GEMINI_CLI_TRUST_WORKSPACE: 'false' }, with: { GEMINI_CLI_TRUST_WORKSPACE: 'true' } },
  },
  opencode: {
    files: ['.opencode', 'opencode.json', 'opencode.jsonc'],
    env: { without: { OPENCODE_DISABLE_PROJECT_CONFIG: 'true' }, with: {} },
    always: { OPENCODE_PERMISSION },
    obeyed: ['opencode.json', 'opencode.jsonc', '.opencode/plugin/', '.opencode/plugins/'],
  },
  codex: { files: ['.codex'], obeyed: ['.codex/config.toml', '.codex/hooks.json'] },
};

type Result = Extract<AcpLine, { type: 'result' }>;

/** An ACP agent's configuration. */
export interface AcpAgentOptions {
  name: string;
  config: AgentConfig;
  search: ProgramSearch;
  /** The command that starts the ACP client program. */
  program?: readonly string[];
}

/** Where a program keeps its login and its sessions below the home folder, by its name. */
const LOGINS: readonly (readonly [RegExp, (home: string, assignment: Assignment) => LoginPath[]])[] = [
  [/claude/, (home, { workspace }) => claudeLogin({ home, workspace })],
  [/codex/, (home, { session }) => codexLogin(join(home, '.codex'), { now: realWorld.now(), session })],
  [/gemini/, (home, { workspace }) => geminiLogin(join(home, '.gemini'), workspace)],
  [/opencode/, opencodeLogin],
];

/** ACP agents use up to 1.2 GB each. */
const MAX_PARALLEL = 8;

/** Which vendor's variables a program may see, by its name. */
const VENDORS: readonly (readonly [RegExp, RegExp])[] = [
  [/claude/, /^(ANTHROPIC|CLAUDE)_/],
  [/codex/, /^(OPENAI|CODEX)_/],
  [/gemini/, /^(GEMINI|GOOGLE)_/],
  [/opencode/, /^OPENCODE_/],
];

/** Any agent that supports the Agent Client Protocol on stdio; its client is a separate program that outlives the engine. */
export function acpAgent({ name, config, search, program = clientProgram() }: AcpAgentOptions): Agent {
  const command = config.command;
  if (command === undefined || command === '') {
    const message = `agents.${name}.command is missing: an agent of kind acp needs a program`;
    throw new AppError('CONFIG_INVALID', message, { name });
  }
  const find = () => findOnPath(command, search);
  const environment = (assignment: Assignment, restricting: Record<string, string> = {}) =>
    attemptEnvironment(
      assignment,
      withoutTitles(command, { ...restricting, ...config.env, ...assignment.settings.account?.env }),
    );
  return {
    name,
    kind: 'acp',
    capabilities: { model: true, scripted: false, pictures: false, instructions: true, rules: true },
    maxParallel: config.maxParallel ?? MAX_PARALLEL,
    vendor: VENDORS.find(([pattern]) => pattern.test(basename(command)))?.[1],
    network: acpNetwork(basename(command)),
    obeys: obeyedBy(config),
    async available() {
      const found = find();
      if ('found' in found) return { ok: true, detail: `${found.found} (${cautionFor(config)})` };
      const nextStep = `Install it, or name the program in agents.${name}.command.`;
      return { ok: false, detail: found.missing, nextStep };
    },
    async command(assignment) {
      const found = requireProgram(name, find());
      const file = join(assignment.folder, 'acp-input.json');
      const own = environment(assignment, await restrictingVariables(config, assignment));
      const { args, env, mcp, sessionMcp } = withoutUserServers(config, { own, settings: assignment.settings });
      const servers = { mcp: { ...mcp }, sessionMcp: { ...sessionMcp } };
      const input = inputFor(assignment, { command: [found, ...config.args, ...args], ...servers });
      await writeFile(file, JSON.stringify(input), { mode: 0o600 });
      return {
        command: [...program, file],
        env,
        programs: [found],
        login: loginFolders(command, assignment),
        pipeOutput: true,
      };
    },
    reader: (assignment) => acpReader(command, environment(assignment)),
  };
}

/** The folders of logins and sessions of the programs known to speak this protocol; the sandbox shows those of this program only. */
function loginFolders(command: string, assignment: Assignment): LoginPath[] {
  const found = LOGINS.find(([pattern]) => pattern.test(basename(command)))?.[1];
  return found?.(assignment.env.HOME ?? homedir(), assignment) ?? [];
}

/** What cannot be checked or prevented before it starts. */
function cautionFor(config: AgentConfig): string {
  const settings = obeyedBy(config).length === 0 ? '' : '; it may obey settings of the repository';
  const writes = canBeReadOnly(config) ? '' : '; it cannot be prevented from writing, so it gets no read-only role';
  return `its login is checked when it starts${settings}${writes}`;
}

function inputFor(assignment: Assignment, given: Pick<AcpInput, 'command' | 'mcp' | 'sessionMcp'>): AcpInput {
  const { settings, session, outputSchema, workspace, promptFile, access } = assignment;
  const { permission, instructions, model } = settings;
  return {
    ...given,
    workspace,
    promptFile,
    access,
    permission,
    instructions,
    allowedTools: [...settings.allowedTools],
    disallowedTools: [...settings.disallowedTools],
    allowedCli: [...settings.allowedCli],
    addDirs: [...settings.addDirs],
    // Rules are lists of texts, which the input describes as lists that may be changed.
    ...AttemptRules.parse({ scopes: assignment.scopes, policy: assignment.policy }),
    native: nativeTexts(settings.native),
    ...(model === undefined ? {} : { model }),
    ...(session === undefined ? {} : { session }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
  };
}

function nativeTexts(native: Assignment['settings']['native']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(native).flatMap(([file, text]) => (text === undefined ? [] : [[file, text]])),
  );
}

/** The built program if there is one, else its source, which Node runs directly. */
function clientProgram(): string[] {
  const built = fileURLToPath(new URL('./acp.js', import.meta.url));
  const source = fileURLToPath(new URL('./acp-program.ts', import.meta.url));
  return [process.execPath, existsSync(built) ? built : source];
}

/** Translates the lines of the ACP client program; an unknown line becomes an `unknown` event. */
function acpReader(program: string, env: Record<string, string>): AgentReader {
  let reported: Usage = { kind: 'none' };
  let recorded: Usage = { kind: 'none' };
  let record: SessionRecord | undefined;
  let session: string | undefined;
  let ended: Result | { type: 'failure'; failure: Failure } | undefined;
  const errors = tailOfLines();

  const refresh = (when: RecordTime) => {
    recorded = record?.(when) ?? recorded;
  };
  const usage = (): Usage => (recorded.kind === 'known' ? recorded : reported);
  const read = (line: AcpLine): AgentEvent[] => {
    switch (line.type) {
      case 'spent':
        reported = line.usage;
        if (line.at !== undefined && session !== undefined)
          record = openSessionRecord(program, { id: session, since: line.at, env });
        return [];
      case 'failure':
        ended = line;
        return [{ type: 'result', isError: true, text: line.failure.message }];
      case 'usage':
        reported = line.usage;
        refresh('running');
        return [{ ...line, usage: usage() }];
      case 'tool-result':
        refresh('running');
        return [line];
      case 'session':
        session = line.id;
        return [line];
      case 'result':
        ended = line;
        return [line];
      default:
        return [line];
    }
  };

  return {
    line(file, text) {
      if (file === 'stderr') {
        errors.add(text);
        return [{ type: 'text', text }];
      }
      const parsed = AcpLine.safeParse(parseJsonObject(text));
      return parsed.success ? read(parsed.data) : [{ type: 'unknown', raw: text }];
    },
    usage,
    end(exit) {
      refresh('ended');
      const known = session === undefined ? { usage: usage() } : { usage: usage(), session };
      const failure = ended?.type === 'failure' ? ended.failure : exitOf(exit, ended);
      const evidence = errors.text();
      if (failure !== undefined) {
        const shown = failure.evidence !== undefined || evidence === '' ? failure : { ...failure, evidence };
        return { ...known, text: failure.message, failure: shown };
      }
      if (ended?.type !== 'result') return { ...known, text: '' };
      return { ...known, text: ended.text, ...(ended.output === undefined ? {} : { output: ended.output }) };
    },
  };
}

/** A result counts even if the program was stopped after it; without one the attempt has failed. */
function exitOf(exit: AgentExit, result: Result | undefined): Failure | undefined {
  if (result !== undefined && exit.kind === 'interrupted') return undefined;
  const failure = exitFailure(exit);
  if (failure !== undefined || result !== undefined) return failure;
  return { kind: 'crashed', message: 'It ended without a result' };
}

/** The variables that disable the repository's settings, or enable those that the user trusts. */
async function restrictingVariables(
  config: AgentConfig,
  { workspace, settings }: Assignment,
): Promise<Record<string, string>> {
  const program = restrictableProgram(config);
  if (program === undefined) return {};
  const { files, env, always, names } = KNOWN[program];
  const isTrusted = await areAllTrusted(workspace, files, settings.trusted);
  const isHarmless = names !== undefined && !(await existsAny(workspace, names));
  return { ...always, ...(isTrusted || isHarmless ? env?.with : env?.without) };
}

async function existsAny(folder: string, names: readonly string[]): Promise<boolean> {
  for (const name of names) {
    const exists = await lstat(join(folder, name)).then(
      () => true,
      (error: unknown) => !isAbsent(error),
    );
    if (exists) return true;
  }
  return false;
}

/** The settings files that a program always obeys; an unknown program may obey those of any. */
function obeyedBy(config: AgentConfig): readonly string[] {
  const program = restrictableProgram(config);
  if (program !== undefined) return KNOWN[program].obeyed ?? [];
  return Object.values(KNOWN).flatMap(({ files }) => files.flatMap((name) => [name, `${name}/`]));
}
