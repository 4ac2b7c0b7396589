import { join } from 'node:path';
import { z } from 'zod';
import type { Usage } from '../../schema/usage.ts';
import { parseJsonObject } from '../json-object.ts';
import { type BilledTokens, costOf, type PriceList } from '../prices.ts';
import { namesIn, type SessionLines, sessionLines } from '../session-lines.ts';

/** Tokens by model, with cached ones separate. */
export type TokensByModel = ReadonlyMap<string, BilledTokens>;

/** The usage of one session since this attempt began, as Gemini records it per answer. */
export interface GeminiSession {
  tokens(): TokensByModel;
  /** How many answers were read. */
  readonly answers: number;
}

const Count = z.number().int().nonnegative();
const Answer = z.object({
  id: z.string(),
  type: z.literal('gemini'),
  timestamp: z.string(),
  model: z.string(),
  tokens: z.object({ input: Count, output: Count, cached: Count.default(0), thoughts: Count.default(0) }),
});

/** Follows a session's file in a home: it survives a kill, unlike the final count on stdout. */
export function followSession(home: string, session: { id: string; from: number }): GeminiSession {
  const answers = new Map<string, { model: string; tokens: BilledTokens }>();
  let lines: SessionLines | undefined;
  const readLine = (line: string) => {
    const { data } = Answer.safeParse(parseJsonObject(line));
    if (data === undefined || Date.parse(data.timestamp) < session.from) return;
    const { input, output, cached, thoughts } = data.tokens;
    const tokens = { inputTokens: Math.max(0, input - cached), cachedTokens: cached, outputTokens: output + thoughts };
    answers.set(data.id, { model: data.model, tokens });
  };
  return {
    tokens() {
      const file = lines === undefined ? findFile(home, session.id) : undefined;
      if (file !== undefined) lines = sessionLines(file);
      lines?.readNew(readLine);
      return byModel([...answers.values()]);
    },
    get answers() {
      return answers.size;
    },
  };
}

function byModel(answers: readonly { model: string; tokens: BilledTokens }[]): TokensByModel {
  const sums = new Map<string, BilledTokens>();
  for (const { model, tokens } of answers) {
    const sum = sums.get(model) ?? { inputTokens: 0, cachedTokens: 0, outputTokens: 0 };
    sum.inputTokens += tokens.inputTokens;
    sum.cachedTokens += tokens.cachedTokens;
    sum.outputTokens += tokens.outputTokens;
    sums.set(model, sum);
  }
  return sums;
}

/** Named by the beginning of the session's id, in a folder for its project. */
function findFile(home: string, id: string): string | undefined {
  const folder = join(home, '.gemini', 'tmp');
  for (const project of namesIn(folder)) {
    const chats = join(folder, project, 'chats');
    const name = namesIn(chats).find((each) => each.endsWith(`-${id.slice(0, 8)}.jsonl`));
    if (name !== undefined) return join(chats, name);
  }
  return undefined;
}

/** The total usage of all models; unknown if one of them has no price. */
export function billedUsage(models: TokensByModel, turns: number, prices?: PriceList): Usage {
  const sum = { costUsd: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
  let billed: { model: string; cost: number } | undefined;
  for (const [model, tokens] of models) {
    if (tokens.inputTokens + tokens.cachedTokens + tokens.outputTokens === 0) continue;
    const cost = costOf(model, tokens, prices);
    if (cost === undefined) return { kind: 'unknown' };
    sum.costUsd += cost;
    sum.inputTokens += tokens.inputTokens;
    sum.outputTokens += tokens.outputTokens;
    sum.cachedTokens += tokens.cachedTokens;
    if (billed === undefined || cost > billed.cost) billed = { model, cost };
  }
  if (billed === undefined) return { kind: 'none' };
  return { kind: 'known', ...sum, turns, model: billed.model };
}
