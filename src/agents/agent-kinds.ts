import type { AgentConfig } from '../schema/config/agent.ts';

/** The name and the kind of the agent that follows a script. */
export const REHEARSAL = 'rehearsal';

/** The kinds of agents that every machine can run: programs that a run names itself, and the agent that follows a script. */
export const USABLE_EVERYWHERE: readonly string[] = ['command', REHEARSAL];

/** Whether agents of this kind are simulated: no model answers, so their results are no evidence about an agent. */
export function isSimulated(kind: string | null | undefined): boolean {
  return kind === REHEARSAL;
}

/** Whether agents of this kind are a program of the user, which only the user can fix. */
export function isUserProgram(kind: string | null | undefined): boolean {
  return kind === 'command';
}

/** Agents that need no settings: the program of that name on PATH. */
export const BUILT_IN = ['claude', 'codex', 'gemini'] as const;

/** The agent that a role prefers where the user set no order and all preferred agents are available. */
export const PREFERRED_BY_ROLE: ReadonlyMap<string, string> = new Map([
  ...['plan', 'review', 'discover', 'analyze', 'verify'].map((role) => [role, 'claude'] as const),
  ...['implement', 'bulk', 'fix', 'repair', 'resolve'].map((role) => [role, 'codex'] as const),
]);

/** Programs that speak ACP and that request permission for what they write and run, which is tested with each of them. */
const RESTRICTABLE = ['claude', 'codex', 'gemini', 'opencode'] as const;
export type RestrictableProgram = (typeof RESTRICTABLE)[number];

/** Which known program an ACP agent runs, by its command or, where that is a launcher such as npx, by its arguments. */
export function restrictableProgram({ command = '', args }: Pick<AgentConfig, 'command' | 'args'>) {
  const words = [command, ...args].map((word) => word.replace(/@[\d^~][^/]*$/, '').replace(/^.*\//, ''));
  return RESTRICTABLE.find((name) => words.some((word) => word.includes(name)));
}

/**
 * Whether an agent can be kept from writing in a read-only role, or the user uses it there although it cannot. A command
 * is the user's own program; its changes are discarded.
 */
export function canBeReadOnly(config: Pick<AgentConfig, 'kind' | 'command' | 'args' | 'readOnlyRoles'>): boolean {
  return config.kind !== 'acp' || config.readOnlyRoles === true || restrictableProgram(config) !== undefined;
}

/** How a person continues a session with the vendor's own program; `folder` is the variable that selects a login's folder. */
type Resuming = { program: string; option: string; folder: string };

/** The commands of the vendors' programs; Gemini's attempts have homes of their own that share the user's sessions. */
export const RESUME_BY_HAND: ReadonlyMap<string, Resuming> = new Map([
  ['claude', { program: 'claude', option: '--resume', folder: 'CLAUDE_CONFIG_DIR' }],
  ['codex', { program: 'codex', option: 'resume', folder: 'CODEX_HOME' }],
  ['gemini', { program: 'gemini', option: '--resume', folder: 'GEMINI_CLI_HOME' }],
]);
