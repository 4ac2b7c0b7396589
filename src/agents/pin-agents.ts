import { resolve } from 'node:path';
import { AppError, nearest } from '../errors.ts';
import { AgentConfig } from '../schema/config/agent.ts';
import type { Config } from '../schema/config.ts';
import { type AgentChoice, nameForProgram, parseAgentChoice } from './agent-choice.ts';
import { findOnPath, findProgram, type ProgramSearch } from './program.ts';
import { scriptedAgents } from './rehearsal/rehearsal-agents.ts';
import { loadScenario } from './rehearsal/scenario.ts';

/** What agents are made from. */
export interface AgentOptions {
  config: Config;
  /** The folder the user gave: programs and scenarios named on the command line begin here. */
  dir: string;
  /** The repository, where configured relative paths begin; the same folder unless given. */
  root?: string;
  /** With `everybody`, agents are played under their own names, so that what names them is rehearsed too. */
  rehearsal: { program: string[]; scenario?: string; everybody?: boolean };
  /** Texts of --agent. */
  adHoc: string[];
  /** The PATH to look for programs on. */
  path?: string;
}

/** Agents as plain settings with absolute paths, so that a run can record them and find the same ones again. */
export interface PinnedAgents {
  agents: Record<string, AgentConfig>;
  /** For each text of --agent, in order: the agents it stands for, and the role if it named one. */
  choices: { role?: string; agents: string[] }[];
}

/** Settles which agents there are: those asked for first, then the configured ones. A missing program or unknown name is refused. */
export function pinAgents(options: AgentOptions): PinnedAgents {
  const rehearsals = rehearsalAgents(options);
  const isRehearsed = options.rehearsal.scenario !== undefined;
  const agents = new Map<string, AgentConfig>(isRehearsed ? Object.entries(rehearsals) : []);
  const choices: PinnedAgents['choices'] = [];
  for (const text of options.adHoc) {
    const choice = parseAgentChoice(text);
    const chosen = settle(choice, { options, rehearsals, agents });
    for (const [name, config] of Object.entries(chosen)) agents.set(name, config);
    choices.push({ ...(choice.role === undefined ? {} : { role: choice.role }), agents: Object.keys(chosen) });
  }
  for (const [name, config] of Object.entries(options.config.agents)) if (!agents.has(name)) agents.set(name, config);
  const [part] = Object.values(rehearsals);
  if (options.rehearsal.everybody === true && part !== undefined)
    return { agents: rehearsed(options, Object.fromEntries(agents), part), choices };
  if (agents.size === 0) for (const [name, config] of installedAgents(options)) agents.set(name, config);
  return { agents: Object.fromEntries(agents), choices };
}

/** In a rehearsal only the programs that the command itself names are run. */
function rehearsed({ config }: AgentOptions, agents: Record<string, AgentConfig>, part: AgentConfig) {
  const kept = Object.keys(agents).filter(
    (name) => agents[name]?.kind === 'command' && !Object.hasOwn(config.agents, name),
  );
  return scriptedAgents(agents, { part, usual: BUILT_IN, kept });
}

/** Where the programs of configured agents are looked for. */
export function searchOf({ dir, root, path }: AgentOptions): ProgramSearch {
  return { dir: root ?? dir, path: path ?? process.env.PATH ?? '' };
}

/** Agents that need no settings: the program of that name on PATH. */
export const BUILT_IN = ['claude', 'codex', 'gemini'] as const;

/** With nothing configured and nothing asked for, the programs that are there are the agents. */
function installedAgents(options: AgentOptions): [string, AgentConfig][] {
  const search = searchOf(options);
  return BUILT_IN.flatMap((name) =>
    'found' in findOnPath(name, search) ? [[name, AgentConfig.parse({ kind: name })]] : [],
  );
}

function builtIn(name: string): AgentConfig | undefined {
  const kind = BUILT_IN.find((known) => known === name);
  return kind === undefined ? undefined : AgentConfig.parse({ kind });
}

type Settling = { options: AgentOptions; rehearsals: Record<string, AgentConfig>; agents: Map<string, AgentConfig> };

function settle({ agent }: AgentChoice, settling: Settling): Record<string, AgentConfig> {
  if (agent.kind === 'command') return adHocCommand(agent, settling);
  const { options, rehearsals } = settling;
  const named = new Map([...Object.entries(rehearsals), ...Object.entries(options.config.agents)]);
  const config = named.get(agent.name) ?? builtIn(agent.name);
  if (config !== undefined)
    return { [agent.name]: agent.model === undefined ? config : { ...config, model: agent.model } };
  if (agent.name === 'rehearsal') return rehearsals;
  const known = [...new Set([...named.keys(), ...BUILT_IN, 'rehearsal'])];
  const meant = nearest(agent.name, known);
  const suggestion = meant === undefined ? '' : ` Did you mean ${meant}?`;
  const message = `There is no agent "${agent.name}".${suggestion} Known agents: ${known.join(', ')}, command:<program>`;
  throw new AppError('AGENT_UNKNOWN', message, { name: agent.name, known });
}

function adHocCommand(
  { program, args }: { program: string; args: string[] },
  { options, rehearsals, agents }: Settling,
): Record<string, AgentConfig> {
  const found = findProgram(program, { ...searchOf(options), dir: options.dir });
  if ('missing' in found)
    throw new AppError('AGENT_MISSING', `Agent command:${program}: ${found.missing}`, { program });
  const config = AgentConfig.parse({ kind: 'command', command: found.found, args });
  const text = JSON.stringify(config);
  const same = [...agents].find(([, other]) => JSON.stringify(other) === text)?.[0];
  const isTaken = (name: string) =>
    agents.has(name) || Object.hasOwn(rehearsals, name) || Object.hasOwn(options.config.agents, name);
  return { [same ?? nameForProgram(program, isTaken)]: config };
}

function rehearsalAgents({ dir, rehearsal: { scenario } }: AgentOptions): Record<string, AgentConfig> {
  if (scenario === undefined) return { rehearsal: AgentConfig.parse({ kind: 'rehearsal' }) };
  const file = resolve(dir, scenario);
  const config = AgentConfig.parse({ kind: 'rehearsal', scenario: file });
  return Object.fromEntries(loadScenario(file).agents.map((name) => [name, config]));
}
