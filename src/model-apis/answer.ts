import { z } from 'zod';
import type { BilledTokens } from '../agents/prices.ts';
import { usageOfCall } from '../agents/sum-usage.ts';
import type { Usage } from '../schema/usage.ts';
import type { ModelAnswer } from './model-api.ts';

/** A parsed answer: the arguments of the tool, and its usage. */
export type Read = { output: unknown; model: string; tokens: BilledTokens | undefined; stop: string };

export const Count = z.number().int().nonnegative();

/** The answer with its price; a model without a known price has used an unknown amount. */
export function pricedAnswer({ output, model, tokens, stop }: Read): ModelAnswer {
  const usage: Usage = tokens === undefined ? { kind: 'unknown' } : usageOfCall({ model, tokens });
  if (output === undefined)
    return { kind: 'failed', problem: `it did not answer in the requested form (${stop})`, usage };
  return { kind: 'answered', output, usage };
}
