import type { Usage } from '../schema/usage.ts';
import { type BilledTokens, costOf, type PriceList } from './prices.ts';

/** One model call, as billed. */
export interface ModelCall {
  model: string | undefined;
  tokens: BilledTokens;
}

/** The sum of two usages; unknown if either is unknown. */
export function sumUsage(left: Usage, right: Usage): Usage {
  if (left.kind === 'unknown' || right.kind === 'none') return left;
  if (left.kind === 'none' || right.kind === 'unknown') return right;
  const model = right.model ?? left.model;
  return {
    kind: 'known',
    costUsd: left.costUsd + right.costUsd,
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    cachedTokens: left.cachedTokens + right.cachedTokens,
    turns: left.turns + right.turns,
    ...(model === undefined ? {} : { model }),
  };
}

/** The total usage of calls; a model without a known price makes all of it unknown. */
export function usageOfCalls(calls: Iterable<ModelCall>, prices?: PriceList): Usage {
  let sum: Usage = { kind: 'none' };
  for (const call of calls) sum = sumUsage(sum, usageOfCall(call, prices));
  return sum;
}

/** The usage of one call; unknown for a model without a known price. */
export function usageOfCall({ model, tokens }: ModelCall, prices?: PriceList): Usage {
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
