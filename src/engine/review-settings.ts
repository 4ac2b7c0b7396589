import type { Config } from '../schema/config.ts';

/** The settings of a run: those of a review of a pull request differ where `review` says so. */
export function settingsForRecipe(recipe: string, config: Config): Config {
  if (recipe !== 'review') return config;
  const { tools, testBeforeMerge } = config.review;
  const told = Object.entries(tools ?? {}).filter(([, value]) => value !== undefined);
  return {
    ...config,
    tools: { ...config.tools, ...Object.fromEntries(told) },
    checks: testBeforeMerge ? config.checks : [],
  };
}
