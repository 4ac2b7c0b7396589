import { z } from 'zod';
import type { Usage } from '../../schema/usage.ts';
import { type BilledTokens, costOf, type PriceList } from '../prices.ts';

const Count = z.number().int().nonnegative();

/** Token counts under the different names that agents use. */
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
    // Some agents count cached tokens as input, too; then the total is input plus output.
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

/** What is known about the usage of one prompt. */
export interface SpentFacts {
  /** The answer to the prompt. */
  response: unknown;
  /** The session's cost in US dollars since the prompt was sent, if the agent reports it. */
  costUsd: number | undefined;
  turns: number;
  prices?: PriceList;
}

/** The usage of a prompt: the agent's own cost, else tokens at list prices, else unknown. */
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
