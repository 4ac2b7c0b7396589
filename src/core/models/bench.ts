import { Config } from '../../schema/config.ts';

/** The settings of a benchmark: agents, limits and budgets of the user; the project's own rules do not apply to its small repository. */
export function benchConfig(config: Config, check: readonly string[]): Config {
  const plain = Config.parse({});
  const { agents, routing, tools, limits, budget, health } = config;
  return {
    ...plain,
    agents,
    routing,
    tools: { ...tools, addDirs: [] },
    limits: { ...limits, attempts: 1 },
    budget,
    health,
    checks: [{ name: 'benchmark', run: [...check], timeoutSeconds: 60 }],
    guards: { ...plain.guards, allow: ['**'] },
  };
}
