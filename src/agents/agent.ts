import type { RuleList } from '../core/policy/decide-policy.ts';
import type { ScopeRules } from '../core/policy/rule-lists.ts';
import type { Account, AgentConfig, Effort, Permission } from '../schema/config/agent.ts';
import type { McpServer } from '../schema/config/mcp.ts';
import type { LoginPath } from '../schema/config/sandbox.ts';
import type { Failure } from '../schema/failure.ts';
import type { Access, TaskLimits, Tier } from '../schema/task.ts';
import type { Usage } from '../schema/usage.ts';

/** The common form into which every agent's output is translated. */
export type AgentEvent =
  | { type: 'session'; id: string }
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'tool-call'; id: string; name: string; input: unknown }
  | { type: 'tool-result'; id: string; output: string; isError: boolean }
  | { type: 'file-change'; path: string; change: 'added' | 'modified' | 'deleted' }
  | { type: 'usage'; usage: Usage }
  | { type: 'retry'; message: string }
  | { type: 'permission-denied'; tool: string; message: string }
  | { type: 'question'; text: string }
  | { type: 'result'; isError: boolean; text: string; output?: unknown }
  | { type: 'terminal'; text: string }
  | { type: 'unknown'; raw: string };

/** What an agent may use in this attempt and its instructions, from settings; each adapter translates them for its program. */
export interface AssignmentSettings {
  model?: string;
  effort?: Effort;
  permission: Permission;
  allowedTools: readonly string[];
  disallowedTools: readonly string[];
  /** Tools of a read-only role that can write: its workspace is discarded. */
  scratchTools?: readonly string[];
  /** Programs that the agent may run. */
  allowedCli: readonly string[];
  addDirs: readonly string[];
  mcp: Readonly<Record<string, McpServer>>;
  /** Settings files of the repository (hooks, tools) that may be obeyed, in exactly this content; all others may not. */
  trusted: readonly TrustedFile[];
  /** Texts of lower priority than the role: the `instructions:` file, and the base's own native files. */
  instructions: string;
  native: Readonly<Partial<Record<NativeFile, string>>>;
  /** The login to use, if there are several. */
  account?: { name: string } & Account;
}

/** A file of the repository as the user trusts it. */
export type TrustedFile = { path: string; text: string };

/** The rules of the settings for this attempt; `granted` is what a person has approved for its task. */
export type AttemptPolicy = { role: string; person: RuleList; project: RuleList; granted: readonly string[] };

/** The instruction files that agents read themselves. */
export type NativeFile = 'CLAUDE.md' | 'AGENTS.md' | 'GEMINI.md';

/** The work that an attempt assigns to an agent. All paths are absolute. */
export interface Assignment {
  attempt: string;
  run: string;
  task: string;
  role: string;
  number: number;
  access: Access;
  tier?: Tier;
  workspace: string;
  folder: string;
  promptFile: string;
  session?: string;
  outputSchema?: unknown;
  limits: TaskLimits;
  /** Which files of the repository it may change; all scopes apply. */
  scopes?: readonly ScopeRules[];
  /** What else it may do; absent where the settings have no rules. */
  policy?: AttemptPolicy;
  settings: AssignmentSettings;
  env: Record<string, string>;
  /** The file that says how its tools are reached; absent where it has none. */
  toolsFile?: string;
  /** Folders besides its own that its sandbox shows. */
  shownFolders?: readonly string[];
  /** It runs in a terminal; no structured output is requested. */
  interactive?: boolean;
  /** The port of this machine on which the application that it inspects listens. */
  applicationPort?: number;
  /** The sandbox of its vendor is off: it cannot start in that of Manyhands, which contains it. */
  isSandboxReplaced?: boolean;
}

/** The program to start; `env` is complete: nothing else reaches the child. */
export interface AgentCommand {
  command: string[];
  env: Record<string, string>;
  stdin?: string;
  /** The files and folders of its login and its sessions. */
  login?: readonly LoginPath[];
  /** Programs that it starts besides itself. */
  programs?: readonly string[];
  /** A sandbox of Manyhands shows it its workspace read-only. */
  isWorkspaceReadOnly?: true;
  pipeOutput: boolean;
}

/** How a process under the shim ended. */
export type AgentExit = { kind: 'exited'; code: number } | { kind: 'interrupted' };

/** The result of an attempt, from structured fields and exit codes, never from the agent's prose. */
export type AgentResult = {
  usage: Usage;
  session?: string;
  text: string;
  output?: unknown;
  failure?: Failure;
  /** The models that its answers name, each once; absent where the program does not report them. */
  answeredBy?: string[];
};

/** Reads one attempt's output; fed from the beginning also after adoption, so it may keep state. */
export interface AgentReader {
  line(file: 'stdout' | 'stderr', text: string): AgentEvent[];
  /** Usage so far, for live budgets. */
  usage(): Usage;
  end(exit: AgentExit): AgentResult;
}

export interface Availability {
  ok: boolean;
  detail: string;
  nextStep?: string;
}

/** The vendors with a model API. */
export type ModelVendor = 'anthropic' | 'openai' | 'gemini';

/** What an agent can do; other folders check this and never its kind. */
export interface AgentCapabilities {
  /** It is known to call a language model, so that small calls of one are allowed in its runs. */
  readonly model: boolean;
  /** It performs a scenario, so that no model may be called in its run. */
  readonly scripted: boolean;
  /** It shows images in the workspace to its model. */
  readonly pictures: boolean;
  /** It has its own channel for instructions of lower priority than the role; otherwise the prompt contains them. */
  readonly instructions: boolean;
  /** It applies the rules of the settings before it uses a tool; other agents are judged by what their output shows. */
  readonly rules?: true;
  /** The vendor whose model API may answer small calls in its runs. */
  readonly modelApi?: ModelVendor;
}

/** The variables and arguments of a program. */
type ProgramStart = Pick<AgentCommand, 'command' | 'env'>;

/** A key that the network proxy adds to requests for `upstream`: with `replace` the program gets a placeholder and another base URL. */
export interface AgentKey {
  /** The variable that holds it. */
  name: string;
  secret: string;
  upstream: string;
  replace(program: ProgramStart, by: { placeholder: string; baseUrl: string }): ProgramStart;
}

/** What an agent needs of the network, by the environment of an attempt. */
export interface AgentNetwork {
  /** The hosts of its vendor: the model, and what refreshes its login. */
  hosts(env: Readonly<Record<string, string>>): readonly string[];
  keys(env: Readonly<Record<string, string>>): readonly AgentKey[];
}

/** A command that starts nothing but the sandbox of a vendor. */
export type SandboxTrial = Pick<AgentCommand, 'command' | 'env'> & { login: readonly LoginPath[] };

/** What decides whether an attempt has the sandbox of its vendor. */
export type SandboxChoice = Pick<Assignment, 'access'> & {
  settings: Pick<AssignmentSettings, 'permission' | 'scratchTools'>;
};

/** A sandbox of the vendor, in which an agent runs its commands. */
export interface OwnSandbox {
  /** Whether an attempt has it by its permissions. */
  isUsed(attempt: SandboxChoice): boolean;
  /** Tries it with the environment of an attempt; exit code 0: it works. */
  trial(env: Record<string, string>): SandboxTrial;
  /** Why it could not start, by what a failed trial wrote, and what to do about it; undefined where that is another error. */
  problem(output: string): { reason: string; fix: string } | undefined;
}

/** A coding program: one implementation per kind, selected by the registry. */
export interface Agent {
  readonly name: string;
  readonly kind: AgentConfig['kind'];
  readonly capabilities: AgentCapabilities;
  readonly maxParallel: number;
  /** Whether it can be used now, and what is missing. */
  available(): Promise<Availability>;
  /** Its own vendor's variables, which it may see in addition to the common ones. */
  readonly vendor: RegExp | undefined;
  /** Undefined for a program of which nothing is known; it reaches what the settings list. */
  readonly network?: AgentNetwork;
  /** Undefined for a program that has none, or whose sandbox is off unless its user asks for it. */
  readonly ownSandbox?: OwnSandbox;
  /** Settings files of a repository, and folders of them with a slash at the end, that it always obeys. */
  readonly obeys?: readonly string[];
  command(assignment: Assignment): Promise<AgentCommand>;
  reader(assignment: Assignment): AgentReader;
  /** The same program in a terminal; undefined where it has no interactive mode. */
  readonly interactive?: {
    command(assignment: Assignment): Promise<Omit<AgentCommand, 'stdin' | 'pipeOutput'>>;
    reader(assignment: Assignment): AgentReader;
  };
}
