import { z } from 'zod';
import type { Usage } from '../../schema/usage.ts';
import { type BilledTokens, costOf, type PriceList } from '../prices.ts';

const Count = z.number().int().nonnegative();

/** Tokens in the several words that agents have for them. */
const Tokens = z
  .object({
    inputTokens: Count.optional(),
    input_tokens: Count.optional(),
    outputTokens: Count.optional(),
    output_tokens: Count.optional(),
    cachedReadTokens: Count.nullish(),
    cachedInputTokens: Count.nullish(),
    totalTokens: Count.optional(),
    reasoningOutputTokens: Count.nullish(),
  })
  .transform((tokens): BilledTokens => {
    const input = tokens.inputTokens ?? tokens.input_tokens ?? 0;
    const outputTokens = tokens.outputTokens ?? tokens.output_tokens ?? 0;
    const cachedTokens = tokens.cachedReadTokens ?? tokens.cachedInputTokens ?? 0;
    // Some count what came from a cache as input, too; then input and output are all there is.
    const isCountedTwice = tokens.totalTokens === input + outputTokens;
    return { inputTokens: isCountedTwice ? Math.max(0, input - cachedTokens) : input, cachedTokens, outputTokens };
  });

const PromptUsage = z.looseObject({
  usage: Tokens.nullish().catch(undefined),
  _meta: z
    .looseObject({
      quota: z.object({ model_usage: z.array(z.object({ model: z.string(), token_count: Tokens })) }).optional(),
    })
    .nullish()
    .catch(undefined),
});

/** What is known of the consumption of one prompt. */
export interface SpentFacts {
  /** The answer to the prompt. */
  response: unknown;
  /** US dollars that the session has cost since the prompt was given, if the agent says so. */
  costUsd: number | undefined;
  turns: number;
  prices?: PriceList;
}

/** What a prompt consumed: the agent's own price, else tokens at list prices; anything less is unknown. */
export function promptUsage({ response, costUsd, turns, prices }: SpentFacts): Usage {
  const { usage, _meta } = PromptUsage.parse(response);
  const models = _meta?.quota?.model_usage ?? [];
  const counted = models.length > 0 ? models.map(({ token_count }) => token_count) : usage ? [usage] : [];
  if (counted.length === 0 && costUsd === undefined) return { kind: 'unknown' };
  const total = (pick: (tokens: BilledTokens) => number) => counted.reduce((sum, tokens) => sum + pick(tokens), 0);
  const tokens = {
    inputTokens: total(({ inputTokens }) => inputTokens),
    outputTokens: total(({ outputTokens }) => outputTokens),
    cachedTokens: total(({ cachedTokens }) => cachedTokens),
  };
  const isNothing = tokens.inputTokens + tokens.outputTokens + tokens.cachedTokens === 0;
  if (isNothing && !costUsd) return { kind: 'none' };
  const listed = models.map(({ model, token_count }) => costOf(model, token_count, prices));
  const cost = costUsd ?? (models.length > 0 ? sumOf(listed) : undefined);
  if (cost === undefined) return { kind: 'unknown' };
  const [first] = models;
  return { kind: 'known', costUsd: cost, ...tokens, turns, ...(first === undefined ? {} : { model: first.model }) };
}

function sumOf(amounts: readonly (number | undefined)[]): number | undefined {
  return amounts.reduce<number | undefined>(
    (sum, amount) => (sum === undefined || amount === undefined ? undefined : sum + amount),
    0,
  );
}
