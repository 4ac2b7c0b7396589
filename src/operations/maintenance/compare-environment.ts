import { delimiter } from 'node:path';
import { cwd, pid, uptime } from 'node:process';
import { z } from 'zod';
import { BUILT_IN, isSimulated } from '../../agents/agent-kinds.ts';
import { findOnPath } from '../../agents/program.ts';
import { loadConfig } from '../../config/load.ts';
import type { AgentConfig } from '../../schema/config/agent.ts';
import { operation } from '../operation.ts';

const Names = z.array(z.string().max(200)).max(10_000);

/** Where an agent's program is, seen from the process that answers and from the one that asks. */
const ProgramDifference = z.object({ name: z.string(), engine: z.string().nullable(), here: z.string().nullable() });

/** How the environment of the process that answers differs from that of the process that asks; nothing is run with the latter. */
export const EnvironmentComparison = z.object({
  pid: z.number().int(),
  startedAt: z.number().describe('Milliseconds since 1970.'),
  dir: z.string().describe('The folder in which it was started.'),
  path: z.object({ onlyEngine: z.array(z.string()), onlyHere: z.array(z.string()), sameOrder: z.boolean() }),
  variables: z
    .object({ onlyEngine: z.array(z.string()), onlyHere: z.array(z.string()) })
    .describe('Names of variables of the agents; values are not compared.'),
  programs: z.array(ProgramDifference).describe('Programs of agents that are found elsewhere.'),
});
export type EnvironmentComparison = z.infer<typeof EnvironmentComparison>;

/** Variables by which agents find their logins and servers. */
const AGENT_VARIABLE = /^(ANTHROPIC|CLAUDE|OPENAI|CODEX|GEMINI|GOOGLE)_/;

/** The names of the variables of an environment that agents read. */
export function agentVariables(env: NodeJS.ProcessEnv): string[] {
  return Object.keys(env)
    .filter((name) => AGENT_VARIABLE.test(name) && env[name] !== undefined && env[name] !== '')
    .sort();
}

/** Tells whose process answers requests, and what differs from the environment of the requester. */
export const compareEnvironment = operation({
  name: 'compare-environment',
  where: 'anywhere',
  summary: 'Compare the environment of the engine with that of the requester',
  http: 'POST /api/engine/environment',
  allow: ['operator'],
  tool: { none: 'A command compares its own environment with that of the engine; an assistant has none.' },
  input: z.object({
    dir: z.string(),
    path: z.string().max(100_000).describe('The PATH of the requester; programs are only looked up on it.'),
    variables: Names.describe('The names of its variables that agents read.'),
  }),
  output: EnvironmentComparison,
  run: async ({ env, world }, { dir, path, variables }) => {
    const mine = foldersOf(env.PATH ?? '');
    const theirs = foldersOf(path);
    const own = agentVariables(env);
    const agents = await loadConfig({ dir, env }).then(
      (config) => config.agents,
      // Settings that cannot be read are reported by doctor; the built-in agents are compared all the same.
      () => ({}),
    );
    return {
      pid,
      startedAt: Math.round(world.now() - uptime() * 1000),
      dir: cwd(),
      path: {
        onlyEngine: without(mine, theirs),
        onlyHere: without(theirs, mine),
        sameOrder: mine.join(delimiter) === theirs.join(delimiter),
      },
      variables: { onlyEngine: without(own, variables), onlyHere: without(variables, own) },
      programs: commandsOf(agents).flatMap(({ name, command }) => {
        const engine = programOn(command, { dir, path: env.PATH ?? '' });
        const here = programOn(command, { dir, path });
        return engine === here ? [] : [{ name, engine, here }];
      }),
    };
  },
});

function foldersOf(path: string): string[] {
  return [...new Set(path.split(delimiter).filter((folder) => folder !== ''))];
}

function without(names: readonly string[], others: readonly string[]): string[] {
  return names.filter((name) => !others.includes(name));
}

/** The programs of the configured agents, and of those that need no settings. */
function commandsOf(agents: Readonly<Record<string, AgentConfig>>): { name: string; command: string }[] {
  const configured = Object.entries(agents).flatMap(([name, { kind, command }]) =>
    isSimulated(kind) ? [] : [{ name, command: command ?? kind }],
  );
  const others = BUILT_IN.filter((name) => !Object.hasOwn(agents, name)).map((name) => ({ name, command: name }));
  return [...configured, ...others];
}

function programOn(command: string, search: { dir: string; path: string }): string | null {
  const program = findOnPath(command, search);
  return 'found' in program ? program.found : null;
}
