import type { Usage } from '../schema/usage.ts';
import type { ModelCall } from './codex-rollout.ts';
import { type BilledTokens, costUsd, type PriceList, priceOf } from './prices.ts';
import { sumUsage } from './sum-usage.ts';

/** What calls cost together; a model without a known price makes all of it unknown. */
export function usageOf(calls: readonly ModelCall[], prices: PriceList): Usage {
  return calls.reduce<Usage>((sum, call) => sumUsage(sum, usageOfCalls(call, 1, prices)), { kind: 'none' });
}

/** What several calls of one model cost of which only the sum is known. */
export function usageOfCalls({ model, tokens }: ModelCall, calls: number, prices: PriceList): Usage {
  if (isNothing(tokens)) return { kind: 'none' };
  const price = model === undefined ? undefined : priceOf(model, prices);
  if (model === undefined || price === undefined) return { kind: 'unknown' };
  return {
    kind: 'known',
    costUsd: costUsd(price, tokens, calls),
    inputTokens: tokens.input + tokens.written,
    outputTokens: tokens.output,
    cachedTokens: tokens.cached,
    turns: calls,
    model,
  };
}

function isNothing({ input, cached, written, output }: BilledTokens): boolean {
  return input + cached + written + output === 0;
}
