import type { Usage } from '../../schema/usage.ts';
import type { BilledTokens } from '../prices.ts';
import { type ModelCall, usageOfCalls } from '../sum-usage.ts';
import type { CallUsage, ModelUsages, ResultLine } from './claude-line.ts';

type Counted = Required<Omit<BilledTokens, 'promptTokens'>>;
const NOT_COUNTED: Counted = {
  inputTokens: 0,
  cachedTokens: 0,
  writtenTokens: 0,
  writtenForHourTokens: 0,
  outputTokens: 0,
};

/** The tokens of single model calls by the id of their answer, counted while no total is reported. */
export class OpenCalls {
  readonly #calls = new Map<string, { model: string | undefined; tokens: Counted | undefined }>();

  get size(): number {
    return this.#calls.size;
  }

  /** Records what is known of a call; several lines report the same one, and the largest counts apply. */
  record(id: string, { model, usage }: { model?: string | undefined; usage?: CallUsage | null | undefined }): void {
    const call = this.#calls.get(id) ?? { model: undefined, tokens: undefined };
    call.model ??= model;
    if (usage) {
      const before = call.tokens ?? NOT_COUNTED;
      call.tokens = {
        inputTokens: Math.max(before.inputTokens, usage.input_tokens ?? 0),
        cachedTokens: Math.max(before.cachedTokens, usage.cache_read_input_tokens ?? 0),
        writtenTokens: Math.max(before.writtenTokens, usage.cache_creation_input_tokens ?? 0),
        writtenForHourTokens: Math.max(
          before.writtenForHourTokens,
          usage.cache_creation?.ephemeral_1h_input_tokens ?? 0,
        ),
        outputTokens: Math.max(before.outputTokens, usage.output_tokens ?? 0),
      };
    }
    this.#calls.set(id, call);
  }

  /** The usage of all calls so far at list prices; unknown if one of them reported no tokens. */
  usage(): Usage {
    const calls: ModelCall[] = [];
    for (const { model, tokens } of this.#calls.values()) {
      if (tokens === undefined) return { kind: 'unknown' };
      const promptTokens = tokens.inputTokens + tokens.cachedTokens + tokens.writtenTokens;
      calls.push({ model, tokens: { ...tokens, promptTokens } });
    }
    return usageOfCalls(calls);
  }

  clear(): void {
    this.#calls.clear();
  }
}

/**
 * The usage since the last result. Newer versions report it themselves; their totals of a resumed session include its
 * earlier runs, so they are never used. Older versions report totals of this process alone.
 */
export function usageSince(line: ResultLine, before: ModelUsages): Usage {
  if (line.model_usage_since_last_result !== undefined) return total(line.model_usage_since_last_result);
  return line.modelUsage === undefined ? { kind: 'unknown' } : usageBetween(before, line.modelUsage);
}

/** The usage between two totals of a session. */
export function usageBetween(before: ModelUsages, after: ModelUsages): Usage {
  return total(minus(after, before));
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
