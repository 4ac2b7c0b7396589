import type { AgentConfig } from '../../schema/config/agent.ts';

type RehearsalOptions = {
  rehearsalConfig: AgentConfig;
  /** Agents that can be named without settings. */
  builtIn: readonly string[];
  /** Agents that are not rehearsed. */
  unchanged: readonly string[];
};

/**
 * The agents of a rehearsal: every agent that the settings, the command or a task can name is rehearsed under its own name
 * and within its own limits, so that no model is called.
 */
export function scriptedAgents(
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
  { maxParallel, runtimeSeconds, spendUsd }: AgentConfig,
  rehearsalConfig: AgentConfig,
): AgentConfig {
  return {
    ...rehearsalConfig,
    ...(maxParallel === undefined ? {} : { maxParallel }),
    ...(runtimeSeconds === undefined ? {} : { runtimeSeconds }),
    ...(spendUsd === undefined ? {} : { spendUsd }),
  };
}
