import { basename, resolve } from 'node:path';
import { AppError } from '../errors.ts';
import { AgentConfig } from '../schema/config/agent.ts';
import type { Config } from '../schema/config.ts';
import { nearest } from '../schema/nearest.ts';
import { BUILT_IN } from './agent-kinds.ts';
import { findOnPath, findProgram, type ProgramSearch } from './program.ts';
import { loadScenario } from './rehearsal/scenario.ts';

/** Agents as the user names them, the best first: for one role or for all; `auto` names none. */
interface AgentChoice {
  role?: string;
  agents: NamedAgent[];
}

/** An agent by name, perhaps with a model, or as a program with arguments. */
type NamedAgent =
  | { kind: 'named'; name: string; model?: string }
  | { kind: 'command'; program: string; args: string[] };

/** Leaves the choice to the settings and the defaults. */
const AUTO = 'auto';

/** Single quotes are literal, double quotes and bare text support the backslash; nothing else is special. */
const PIECE = /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\]+)|(\s+)|([\s\S])/g;

type RehearsalOptions = {
  rehearsalConfig: AgentConfig;
  /** Agents that can be named without settings. */
  builtIn: readonly string[];
  /** Agents that are not rehearsed. */
  unchanged: readonly string[];
};

/** What agents are created from. */
export interface AgentOptions {
  config: Config;
  /** The folder the user gave: programs and scenarios named on the command line begin here. */
  dir: string;
  /** The repository, where configured relative paths begin; the same folder unless given. */
  root?: string;
  /** With `allAgents`, every agent is rehearsed under its own name, so that settings that name agents are exercised too. */
  rehearsal: { program: string[]; scenario?: string; allAgents?: boolean };
  /** Texts of --agent. */
  adHoc: string[];
  /** The PATH on which programs are searched. */
  path?: string;
}

/** Agents as plain settings with absolute paths, so that a run can record them and find the same ones again. */
export interface PinnedAgents {
  agents: Record<string, AgentConfig>;
  /** For each text of --agent, in order: the agents it selects, and the role if it named one. */
  choices: { role?: string; agents: string[] }[];
}

/** Decides which agents exist: the requested ones first, then the configured ones. A missing program or unknown name is refused. */
export function pinAgents(options: AgentOptions): PinnedAgents {
  const rehearsals = rehearsalAgents(options);
  const isRehearsed = options.rehearsal.scenario !== undefined;
  const agents = new Map<string, AgentConfig>(isRehearsed ? Object.entries(rehearsals) : []);
  const choices: PinnedAgents['choices'] = [];
  for (const text of options.adHoc) {
    const { role, agents: named } = parseAgentChoice(text);
    const names: string[] = [];
    for (const agent of named) {
      const chosen = resolveChoice(agent, role, { options, rehearsals, agents });
      for (const [name, config] of Object.entries(chosen)) agents.set(name, config);
      names.push(...Object.keys(chosen));
    }
    choices.push({ ...(role === undefined ? {} : { role }), agents: names });
  }
  for (const [name, config] of Object.entries(options.config.agents)) if (!agents.has(name)) agents.set(name, config);
  const [rehearsalConfig] = Object.values(rehearsals);
  if (options.rehearsal.allAgents === true && rehearsalConfig !== undefined)
    return { agents: withRehearsalAgents(options, Object.fromEntries(agents), rehearsalConfig), choices };
  const isLeftOpen = !choices.some(({ role, agents: names }) => role === undefined && names.length > 0);
  if (agents.size === 0 || (isLeftOpen && !isRehearsed && Object.keys(options.config.agents).length === 0))
    for (const [name, config] of installedAgents(options)) if (!agents.has(name)) agents.set(name, config);
  return { agents: Object.fromEntries(agents), choices };
}

/** In a rehearsal only the programs that the command itself names are run. */
function withRehearsalAgents(
  { config }: AgentOptions,
  agents: Record<string, AgentConfig>,
  rehearsalConfig: AgentConfig,
) {
  const kept = Object.keys(agents).filter(
    (name) => agents[name]?.kind === 'command' && !Object.hasOwn(config.agents, name),
  );
  return scriptedAgents(agents, { rehearsalConfig, builtIn: BUILT_IN, unchanged: kept });
}

/** Where the programs of configured agents are searched. */
export function searchOf({ dir, root, path }: AgentOptions): ProgramSearch {
  return { dir: root ?? dir, path: path ?? process.env.PATH ?? '' };
}

/** With no agent configured or requested, the installed programs are the agents. */
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

type ChoiceContext = {
  options: AgentOptions;
  rehearsals: Record<string, AgentConfig>;
  agents: Map<string, AgentConfig>;
};

function resolveChoice(
  agent: NamedAgent,
  role: string | undefined,
  context: ChoiceContext,
): Record<string, AgentConfig> {
  if (agent.kind === 'command') return adHocCommand(agent, context);
  const { options, rehearsals } = context;
  const named = new Map([...Object.entries(rehearsals), ...Object.entries(options.config.agents)]);
  const config = named.get(agent.name) ?? builtIn(agent.name);
  if (config !== undefined) return withModel(agent, role, { config, agents: context.agents });
  if (agent.name === 'rehearsal') return rehearsals;
  throw unknownAgent(agent.name, [...named.keys()]);
}

function unknownAgent(name: string, configured: readonly string[]): AppError {
  const known = [...new Set([...configured, ...BUILT_IN, 'rehearsal', AUTO])];
  const closest = nearest(name, known);
  const suggestion = closest === undefined ? '' : ` Did you mean ${closest}?`;
  const message = `There is no agent "${name}".${suggestion} Known agents: ${known.join(', ')}, command:<program>`;
  return new AppError('AGENT_UNKNOWN', message, { name, known });
}

/** Refuses a text, as of --agent, that names an agent which is neither configured nor built in. */
export function requireKnownAgents(text: string, configured: readonly string[]): void {
  const known: readonly string[] = [...configured, ...BUILT_IN, 'rehearsal'];
  for (const agent of parseAgentChoice(text).agents)
    if (agent.kind === 'named' && !known.includes(agent.name)) throw unknownAgent(agent.name, configured);
}

/** A model for one role, or a second model of an agent, must not become the model of the same agent elsewhere: it is an agent of its own. */
function withModel(
  { name, model }: Extract<NamedAgent, { kind: 'named' }>,
  role: string | undefined,
  { config, agents }: { config: AgentConfig; agents: ReadonlyMap<string, AgentConfig> },
): Record<string, AgentConfig> {
  if (model === undefined || model === config.model) return { [name]: config };
  const other = agents.get(name)?.model;
  const isFirst = role === undefined && (!agents.has(name) || other === model);
  const own = isFirst ? name : `${name}-${model.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`;
  return { [own]: { ...config, model } };
}

function adHocCommand(
  { program, args }: { program: string; args: string[] },
  { options, rehearsals, agents }: ChoiceContext,
): Record<string, AgentConfig> {
  const found = findProgram(program, { ...searchOf(options), dir: options.dir });
  if ('missing' in found)
    throw new AppError('AGENT_MISSING', `Agent command:${program}: ${found.missing}${quoting(program, args)}`, {
      program,
    });
  const config = AgentConfig.parse({ kind: 'command', command: found.found, args });
  const text = JSON.stringify(config);
  const same = [...agents].find(([, other]) => JSON.stringify(other) === text)?.[0];
  const isTaken = (name: string) =>
    agents.has(name) || Object.hasOwn(rehearsals, name) || Object.hasOwn(options.config.agents, name);
  return { [same ?? nameForProgram(program, isTaken)]: config };
}

/** A path is cut at its first space: what may be its rest is among the arguments. */
function quoting(program: string, args: readonly string[]): string {
  const isCut = program.includes('/') && args.some((arg) => arg.includes('/') || /\.\w+$/.test(arg));
  return isCut ? `; a path with spaces needs quotes: command:'${[program, ...args].join(' ')}'` : '';
}

function rehearsalAgents({ dir, rehearsal: { scenario } }: AgentOptions): Record<string, AgentConfig> {
  if (scenario === undefined) return { rehearsal: AgentConfig.parse({ kind: 'rehearsal' }) };
  const file = resolve(dir, scenario);
  const config = AgentConfig.parse({ kind: 'rehearsal', scenario: file });
  return Object.fromEntries(loadScenario(file).agents.map((name) => [name, config]));
}

/**
 * The agents of a rehearsal: every agent that the settings, the command or a task can name is rehearsed under its own name
 * and within its own limits, so that no model is called.
 */
function scriptedAgents(
  agents: Readonly<Record<string, AgentConfig>>,
  { rehearsalConfig, builtIn, unchanged }: RehearsalOptions,
): Record<string, AgentConfig> {
  const isUnchanged = (name: string, { kind }: AgentConfig) => kind === 'rehearsal' || unchanged.includes(name);
  const all = Object.entries({ ...Object.fromEntries(builtIn.map((name) => [name, rehearsalConfig])), ...agents });
  return Object.fromEntries(
    all.map(([name, config]) => [name, isUnchanged(name, config) ? config : asRehearsal(config, rehearsalConfig)]),
  );
}

function asRehearsal(
  { maxParallel, runtimeSeconds, spendUsd, spendUsdPerDay }: AgentConfig,
  rehearsalConfig: AgentConfig,
): AgentConfig {
  return {
    ...rehearsalConfig,
    ...(maxParallel === undefined ? {} : { maxParallel }),
    ...(runtimeSeconds === undefined ? {} : { runtimeSeconds }),
    ...(spendUsd === undefined ? {} : { spendUsd }),
    ...(spendUsdPerDay === undefined ? {} : { spendUsdPerDay }),
  };
}

/** Reads `claude`, `claude,codex`, `codex:gpt-5.5`, `auto`, `command:./agent.sh --flag`, each also as `implement=codex`. */
export function parseAgentChoice(text: string): AgentChoice {
  const [, role, rest = ''] = /^(?:([a-z][a-z0-9-]*)=)?([\s\S]*)$/.exec(text.trim()) ?? [];
  const names = rest.startsWith('command:') ? [rest] : rest.split(',');
  const agents = rest.trim() === AUTO ? [] : names.map((name) => parseAgent(name.trim(), text));
  return role === undefined ? { agents } : { role, agents };
}

/** A readable agent name for a program (`./bin/Agent.sh` is `agent`) that is not yet taken. */
function nameForProgram(program: string, isTaken: (name: string) => boolean): string {
  const plain = basename(program)
    .replace(/\.[^.]+$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  const name = /^[a-z]/.test(plain) ? plain : ['agent', plain].filter((part) => part !== '').join('-');
  let unique = name;
  for (let count = 2; isTaken(unique); count += 1) unique = `${name}-${count}`;
  return unique;
}

function parseAgent(text: string, whole: string): NamedAgent {
  if (!text.startsWith('command:')) {
    if (text === '') throw new AppError('USAGE', `"${whole}" names no agent`, { text: whole });
    const [, name = '', model] = /^([^:]*)(?::(.+))?$/.exec(text) ?? [];
    return model === undefined ? { kind: 'named', name: text } : { kind: 'named', name, model };
  }
  const [program, ...args] = splitWords(text.slice('command:'.length));
  if (program === undefined || program === '')
    throw new AppError('USAGE', `"${whole}" names no program`, { text: whole });
  return { kind: 'command', program, args };
}

/** Splits a command line into words with shell quoting, without any expansion. */
function splitWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const [, single, double, escaped, bare, blank, broken] of line.matchAll(PIECE)) {
    if (broken !== undefined) throw new AppError('USAGE', `The quote ${broken} is not closed in: ${line}`, { line });
    if (blank !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + (single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? bare ?? '');
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}
