import type { Usage } from '../schema/usage.ts';
import type { ModelCall } from './codex-rollout.ts';
import { costOf, type PriceList } from './prices.ts';
import { sumUsage } from './sum-usage.ts';

/** What calls cost together; one whose model has no known price makes all of it unknown. */
export function usageOf(calls: readonly ModelCall[], prices: PriceList): Usage {
  return calls.reduce<Usage>((sum, call) => sumUsage(sum, usageOfCall(call, prices)), { kind: 'none' });
}

function usageOfCall({ model, tokens }: ModelCall, prices: PriceList): Usage {
  const { inputTokens, cachedTokens, outputTokens, writtenTokens = 0 } = tokens;
  if (inputTokens + cachedTokens + outputTokens + writtenTokens === 0) return { kind: 'none' };
  const costUsd = model === undefined ? undefined : costOf(model, tokens, prices);
  if (model === undefined || costUsd === undefined) return { kind: 'unknown' };
  return {
    kind: 'known',
    costUsd,
    inputTokens: inputTokens + writtenTokens,
    outputTokens,
    cachedTokens,
    turns: 1,
    model,
  };
}
