import type { Usage } from '../../schema/usage.ts';
import { type BilledTokens, costOf, type PriceList } from '../prices.ts';

/** Tokens by model, with cached ones separate. */
export type TokensByModel = ReadonlyMap<string, BilledTokens>;

/** The total usage of all models; unknown if one of them has no price. */
export function billedUsage(models: TokensByModel, turns: number, prices?: PriceList): Usage {
  const sum = { costUsd: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
  let billed: { model: string; cost: number } | undefined;
  for (const [model, tokens] of models) {
    if (tokens.inputTokens + tokens.cachedTokens + tokens.outputTokens === 0) continue;
    const cost = costOf(model, tokens, prices);
    if (cost === undefined) return { kind: 'unknown' };
    sum.costUsd += cost;
    sum.inputTokens += tokens.inputTokens;
    sum.outputTokens += tokens.outputTokens;
    sum.cachedTokens += tokens.cachedTokens;
    if (billed === undefined || cost > billed.cost) billed = { model, cost };
  }
  if (billed === undefined) return { kind: 'none' };
  return { kind: 'known', ...sum, turns, model: billed.model };
}
