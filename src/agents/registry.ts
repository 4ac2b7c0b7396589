import type { AgentConfig } from '../schema/config.ts';
import { acpAgent } from './acp.ts';
import type { Agent } from './agent.ts';
import { claudeAgent } from './claude.ts';
import { codexAgent } from './codex.ts';
import { commandAgent } from './command.ts';
import { geminiAgent } from './gemini.ts';
import { type AgentOptions, pinAgents } from './pin.ts';
import { rehearsalAgent } from './rehearsal.ts';

type Make = (name: string, config: AgentConfig, options: AgentOptions) => Agent;

const KINDS: Record<AgentConfig['kind'], Make> = {
  acp: (name, config, { dir, root, path }) =>
    acpAgent({ name, config, search: { dir: root ?? dir, path: path ?? process.env.PATH ?? '' } }),
  claude: (name, config, { config: { trust }, dir, root, path }) =>
    claudeAgent({ name, config, trust, search: { dir: root ?? dir, path: path ?? process.env.PATH ?? '' } }),
  codex: (name, config, { config: { trust }, dir, root, path }) =>
    codexAgent({ name, config, trust, search: { dir: root ?? dir, path: path ?? process.env.PATH ?? '' } }),
  command: (name, config, { dir, root, path }) =>
    commandAgent({ name, config, search: { dir: root ?? dir, path: path ?? process.env.PATH ?? '' } }),
  gemini: (name, config, { config: { trust }, dir, root, path }) =>
    geminiAgent({ name, config, trust, search: { dir: root ?? dir, path: path ?? process.env.PATH ?? '' } }),
  rehearsal: (name, config, { dir, root, rehearsal }) =>
    rehearsalAgent({ name, config, dir: root ?? dir, program: rehearsal.program }),
};

/** Every agent by name, those asked for on the command line first. */
export function createAgents(options: AgentOptions): Map<string, Agent> {
  const { agents } = pinAgents(options);
  return new Map(Object.entries(agents).map(([name, config]) => [name, KINDS[config.kind](name, config, options)]));
}
