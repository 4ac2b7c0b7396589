import type { AgentConfig } from '../../schema/config/agent.ts';
import type { Tier } from '../../schema/task.ts';

/** The model an agent uses for a tier: its one model, the tier's, or the standard one; none means the agent's own default. */
export function modelFor(
  agent: Pick<AgentConfig, 'model' | 'models'> | undefined,
  tier: Tier | undefined,
): string | undefined {
  return agent?.model ?? (tier === undefined ? undefined : agent?.models[tier]) ?? agent?.models.standard;
}

/** The models that an agent has by its settings; without any, its results count for every model. */
export function modelsOf(agent: AgentConfig | undefined): (string | null)[] | undefined {
  const tiers = [agent?.models.light, agent?.models.standard, agent?.models.heavy];
  const models = (agent?.model === undefined ? tiers : [agent.model]).filter((model) => model !== undefined);
  return models.length === 0 ? undefined : models;
}

/** Whether a model belongs to a model family; an unknown model does not. */
export function isOfFamily(model: string | null | undefined, family: string): boolean {
  return (model ?? '').toLowerCase().includes(family.toLowerCase());
}

/** The order of tiers when the models of a tier are rate-limited. */
const INSTEAD: Readonly<Record<Tier, readonly Tier[]>> = {
  light: ['light', 'standard', 'heavy'],
  standard: ['standard', 'heavy', 'light'],
  heavy: ['heavy', 'standard', 'light'],
};

/** The tier to use while model families are rate-limited: the requested one, or the next whose model is available. */
export function openTier(
  agent: Pick<AgentConfig, 'model' | 'models'> | undefined,
  requested: Tier | undefined,
  closed: readonly string[],
): Tier | undefined {
  const isOpen = (tier: Tier | undefined) => !closed.some((family) => isOfFamily(modelFor(agent, tier), family));
  if (isOpen(requested)) return requested;
  return INSTEAD[requested ?? 'standard'].find(isOpen) ?? requested;
}

/** Keywords of small tasks, and of those that need the best model. */
const LIGHT = /\b(typo|rename|comment|readme|docs?|changelog|format(ting)?|bump|spelling|wording|lint)\b/i;
const HEAVY =
  /\b(architect\w*|migrat\w*|concurren\w*|race condition|deadlock|security|crypto\w*|performance|refactor\w*|protocol|distributed|algorithm)\b/i;
const LONG_CHARS = 1_500;
const SHORT_CHARS = 240;

/** A tier by complexity, from rules alone: short simple tasks are light, large or difficult ones heavy, all others standard. */
export function tierByRules(text: string, needs: number): { tier: Tier; because: string } {
  const heavy = HEAVY.exec(text)?.[0];
  if (heavy !== undefined) return { tier: 'heavy', because: `it is about ${heavy.toLowerCase()}` };
  if (text.length > LONG_CHARS || needs > 4) return { tier: 'heavy', because: 'it is large' };
  const light = LIGHT.exec(text)?.[0];
  if (light !== undefined && text.length < SHORT_CHARS)
    return { tier: 'light', because: `it is a small task (${light.toLowerCase()})` };
  return { tier: 'standard', because: 'it is of ordinary size' };
}
