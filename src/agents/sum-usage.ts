import type { Usage } from '../schema/usage.ts';

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
