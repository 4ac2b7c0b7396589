import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { errorCode, isAbsent } from '../../errors.ts';
import type { Usage } from '../../schema/usage.ts';
import { parseJsonObject } from '../json-object.ts';
import { type BilledTokens, costOf, type PriceList } from '../prices.ts';

/** Tokens by model, with cached ones separate. */
export type TokensByModel = ReadonlyMap<string, BilledTokens>;

/** The usage of one session since this attempt began, as Gemini records it per answer. */
export interface GeminiSession {
  tokens(): TokensByModel;
}

const Count = z.number().int().nonnegative();
const Answer = z.object({
  id: z.string(),
  type: z.literal('gemini'),
  timestamp: z.string(),
  model: z.string(),
  tokens: z.object({ input: Count, output: Count, cached: Count.default(0), thoughts: Count.default(0) }),
});

const PIECE_BYTES = 256 * 1024;
const LINE_END = 10;

/** Follows a session's file in a home: it survives a kill, unlike the final count on stdout. */
export function followSession(home: string, session: { id: string; from: number }): GeminiSession {
  const answers = new Map<string, { model: string; tokens: BilledTokens }>();
  let file: string | undefined;
  let offset = 0;
  let rest = Buffer.alloc(0);
  const readLine = (line: string) => {
    const { data } = Answer.safeParse(parseJsonObject(line));
    if (data === undefined || Date.parse(data.timestamp) < session.from) return;
    const { input, output, cached, thoughts } = data.tokens;
    const tokens = { inputTokens: Math.max(0, input - cached), cachedTokens: cached, outputTokens: output + thoughts };
    answers.set(data.id, { model: data.model, tokens });
  };
  return {
    tokens() {
      file ??= findFile(home, session.id);
      if (file !== undefined) {
        for (const piece of readFrom(file, offset)) {
          offset += piece.length;
          rest = Buffer.concat([rest, piece]);
          const end = rest.lastIndexOf(LINE_END);
          for (const line of rest
            .subarray(0, end + 1)
            .toString('utf8')
            .split('\n'))
            readLine(line);
          rest = rest.subarray(end + 1);
        }
      }
      return byModel([...answers.values()]);
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

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

function* readFrom(file: string, from: number): Generator<Buffer> {
  const opened = openIfThere(file);
  if (opened === undefined) return;
  try {
    let at = from;
    for (;;) {
      const piece = Buffer.alloc(PIECE_BYTES);
      const size = readSync(opened, piece, 0, PIECE_BYTES, at);
      if (size === 0) return;
      at += size;
      yield piece.subarray(0, size);
    }
  } finally {
    closeSync(opened);
  }
}

/** Gemini deletes its old sessions itself. */
function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
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
