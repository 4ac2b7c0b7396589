import { z } from 'zod';
import { costOf } from '../agents/prices.ts';
import type { Usage } from '../schema/usage.ts';
import type { ModelAnswer } from './model-api.ts';

/** Tokens of one request, each counted in one field. */
type Tokens = { inputTokens: number; cachedTokens: number; outputTokens: number; writtenTokens?: number };

/** A parsed answer: the arguments of the tool, and its usage. */
export type Read = { output: unknown; model: string; tokens: Tokens | undefined; stop: string };

export const Count = z.number().int().nonnegative();

/** The answer with its price; a model without a known price has used an unknown amount. */
export function pricedAnswer({ output, model, tokens, stop }: Read): ModelAnswer {
  const usage = usageOf(model, tokens);
  if (output === undefined)
    return { kind: 'failed', problem: `it did not answer in the requested form (${stop})`, usage };
  return { kind: 'answered', output, usage };
}

function usageOf(model: string, tokens: Tokens | undefined): Usage {
  const costUsd = tokens === undefined ? undefined : costOf(model, tokens);
  if (tokens === undefined || costUsd === undefined) return { kind: 'unknown' };
  const { inputTokens, cachedTokens, outputTokens, writtenTokens = 0 } = tokens;
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
