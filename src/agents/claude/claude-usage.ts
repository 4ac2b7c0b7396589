import type { Usage } from '../../schema/usage.ts';
import type { ModelUsages, ResultLine } from './claude-line.ts';

/**
 * The usage since the last result. Newer versions report it themselves; their totals of a resumed session include its
 * earlier runs, so they are never used. Older versions report totals of this process alone.
 */
export function usageSince(line: ResultLine, before: ModelUsages): Usage {
  if (line.model_usage_since_last_result !== undefined) return total(line.model_usage_since_last_result);
  return line.modelUsage === undefined ? { kind: 'unknown' } : total(minus(line.modelUsage, before));
}

function total(usages: ModelUsages): Usage {
  const entries = Object.entries(usages);
  const [first] = entries;
  if (first === undefined) return { kind: 'none' };
  const sum = { costUsd: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
  let billed = first;
  for (const entry of entries) {
    const [, usage] = entry;
    sum.costUsd += usage.costUSD;
    sum.inputTokens += usage.inputTokens + usage.cacheCreationInputTokens;
    sum.outputTokens += usage.outputTokens;
    sum.cachedTokens += usage.cacheReadInputTokens;
    if (usage.costUSD > billed[1].costUSD) billed = entry;
  }
  return { kind: 'known', ...sum, turns: 0, model: billed[0] };
}

function minus(usages: ModelUsages, before: ModelUsages): ModelUsages {
  const rest: ModelUsages = {};
  for (const [model, now] of Object.entries(usages)) {
    const then = before[model];
    if (then === undefined) rest[model] = now;
    else if (now.outputTokens > then.outputTokens || now.costUSD > then.costUSD) {
      rest[model] = {
        inputTokens: Math.max(0, now.inputTokens - then.inputTokens),
        outputTokens: Math.max(0, now.outputTokens - then.outputTokens),
        cacheReadInputTokens: Math.max(0, now.cacheReadInputTokens - then.cacheReadInputTokens),
        cacheCreationInputTokens: Math.max(0, now.cacheCreationInputTokens - then.cacheCreationInputTokens),
        costUSD: Math.max(0, now.costUSD - then.costUSD),
      };
    }
  }
  return rest;
}
