import type { AgentConfig } from '../schema/config/agent.ts';
import { acpAgent } from './acp/acp.ts';
import type { Agent } from './agent.ts';
import { claudeAgent } from './claude/claude.ts';
import { codexAgent } from './codex/codex.ts';
import { commandAgent } from './command/command.ts';
import { geminiAgent } from './gemini/gemini.ts';
import { type AgentOptions, pinAgents, searchOf } from './pin-agents.ts';
import { rehearsalAgent } from './rehearsal/rehearsal.ts';

type Make = (name: string, config: AgentConfig, options: AgentOptions) => Agent;

const KINDS: Record<AgentConfig['kind'], Make> = {
  acp: (name, config, options) => acpAgent({ name, config, search: searchOf(options) }),
  claude: (name, config, options) => claudeAgent({ name, config, search: searchOf(options) }),
  codex: (name, config, options) => codexAgent({ name, config, search: searchOf(options) }),
  command: (name, config, options) => commandAgent({ name, config, search: searchOf(options) }),
  gemini: (name, config, options) => geminiAgent({ name, config, search: searchOf(options) }),
  rehearsal: (name, config, { dir, root, rehearsal }) =>
    rehearsalAgent({ name, config, dir: root ?? dir, program: rehearsal.program }),
};

/** Every agent by name, those requested on the command line first. */
export function createAgents(options: AgentOptions): Map<string, Agent> {
  const { agents } = pinAgents(options);
  return new Map(Object.entries(agents).map(([name, config]) => [name, KINDS[config.kind](name, config, options)]));
}
