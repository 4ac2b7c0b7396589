import type { AgentConfig } from '../../schema/config/agent.ts';

type Rehearsal = {
  part: AgentConfig;
  /** Names that have no settings and yet can be named. */
  usual: readonly string[];
  /** Who is run as they are. */
  kept: readonly string[];
};

/**
 * The agents of a rehearsal: whoever the settings, the command or a task can name plays the part under their own name and within their
 * own limits, so that nobody is asked.
 */
export function scriptedAgents(
  agents: Readonly<Record<string, AgentConfig>>,
  { part, usual, kept }: Rehearsal,
): Record<string, AgentConfig> {
  const isAsItIs = (name: string, { kind }: AgentConfig) => kind === 'rehearsal' || kept.includes(name);
  const all = Object.entries({ ...Object.fromEntries(usual.map((name) => [name, part])), ...agents });
  return Object.fromEntries(
    all.map(([name, config]) => [name, isAsItIs(name, config) ? config : playing(config, part)]),
  );
}

function playing({ maxParallel, runtimeSeconds, spendUsd }: AgentConfig, part: AgentConfig): AgentConfig {
  return {
    ...part,
    ...(maxParallel === undefined ? {} : { maxParallel }),
    ...(runtimeSeconds === undefined ? {} : { runtimeSeconds }),
    ...(spendUsd === undefined ? {} : { spendUsd }),
  };
}
