import type { AgentConfig } from '../schema/config/agent.ts';
import { isProgramOfProject } from '../schema/config/sandbox.ts';
import { acpAgent } from './acp/acp.ts';
import type { Agent } from './agent.ts';
import { claudeAgent } from './claude/claude.ts';
import { codexAgent } from './codex/codex.ts';
import { commandAgent } from './command/command.ts';
import { geminiAgent } from './gemini/gemini.ts';
import { type AgentOptions, pinAgents, searchOf } from './pin-agents.ts';
import { rehearsalAgent } from './rehearsal/rehearsal.ts';
import type { VendorAgentOptions } from './vendor-agent.ts';

type Make = (name: string, config: AgentConfig, options: AgentOptions) => Agent;

const KINDS: Record<AgentConfig['kind'], Make> = {
  acp: (name, config, options) => acpAgent({ name, config, search: searchOf(options) }),
  claude: (name, config, options) => claudeAgent(vendorOptions(name, config, options)),
  codex: (name, config, options) => codexAgent(vendorOptions(name, config, options)),
  command: (name, config, options) => commandAgent({ name, config, search: searchOf(options) }),
  gemini: (name, config, options) => geminiAgent(vendorOptions(name, config, options)),
  rehearsal: (name, config, { dir, root, rehearsal }) =>
    rehearsalAgent({ name, config, dir: root ?? dir, program: rehearsal.program }),
};

/** Every agent by name, those requested on the command line first. */
export function createAgents(options: AgentOptions): Map<string, Agent> {
  const { agents } = pinAgents(options);
  return new Map(Object.entries(agents).map(([name, config]) => [name, KINDS[config.kind](name, config, options)]));
}

function vendorOptions(name: string, config: AgentConfig, options: AgentOptions): VendorAgentOptions {
  const { agents, sandboxPaths } = options.config;
  const isOfProject = isProgramOfProject(name, { agents: { ...agents, [name]: config }, sandboxPaths });
  return { name, config, search: searchOf(options), isOfProject };
}
