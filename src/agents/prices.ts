/** What a model costs, in US dollars per million tokens. */
interface Price {
  input: number;
  /** Input that the provider had in its cache. */
  cached: number;
  /** Input that was written to the cache; priced as other input unless given. */
  written?: number;
  /** Input that was written to the cache for an hour instead of minutes. */
  writtenForHour?: number;
  /** Reasoning counts as output. */
  output: number;
  /** The factors for all tokens of a call whose prompt is longer. */
  long?: { above: number; input: number; output: number };
}

/** The tokens of one model; each token is counted in one field only. */
export interface BilledTokens {
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  /** Input that was put into the provider's cache. */
  writtenTokens?: number;
  /** The part of it that is kept there for an hour. */
  writtenForHourTokens?: number;
  /** The whole prompt of a single call; unknown for a sum of calls, to which standard prices apply. */
  promptTokens?: number;
}

export type PriceList = Readonly<Record<string, Price>>;

/** When the list prices below were read; standard tier, text. */
export const PRICES_READ_ON = '2026-11-15';

const LONG_GPT = { above: 272_000, input: 2, output: 1.5 };
const LONG_GEMINI = { above: 200_000, input: 2, output: 1.5 };

/** Anthropic's prices: output costs five times the input, and writing to the cache 1.25 times, for an hour twice. */
function claude(input: number, cached: number): Price {
  return { input, cached, written: input * 1.25, writtenForHour: input * 2, output: input * 5 };
}

/** Public list prices of the models for which programs or APIs report only tokens. */
export const PRICES: PriceList = {
  'gpt-6.1-sol': { input: 2, cached: 0.1, written: 2.5, output: 10, long: LONG_GPT },
  'gpt-6-astra': { input: 10, cached: 1, written: 12.5, output: 50, long: LONG_GPT },
  'gpt-6-sol': { input: 2, cached: 0.2, written: 2.5, output: 10, long: LONG_GPT },
  'gpt-6-luna': { input: 0.1, cached: 0.01, written: 0.125, output: 0.5, long: LONG_GPT },
  'gpt-5.6-sol': { input: 4, cached: 0.4, written: 5, output: 20, long: LONG_GPT },
  'gpt-5.6-terra': { input: 2, cached: 0.2, written: 2.5, output: 12, long: LONG_GPT },
  'gpt-5.6-luna': { input: 0.2, cached: 0.02, written: 0.25, output: 1.2, long: LONG_GPT },
  'gpt-5.5': { input: 5, cached: 0.5, output: 30, long: LONG_GPT },
  'gpt-5.4': { input: 2.5, cached: 0.25, output: 15, long: LONG_GPT },
  'gpt-5.4-mini': { input: 0.75, cached: 0.075, output: 4.5 },
  'gpt-5.3-codex': { input: 1.75, cached: 0.175, output: 14 },
  'gpt-5.2': { input: 1.75, cached: 0.175, output: 14 },
  'gpt-5.2-codex': { input: 1.75, cached: 0.175, output: 14 },
  'gpt-5.1': { input: 1.25, cached: 0.125, output: 10 },
  'gpt-5.1-codex': { input: 1.25, cached: 0.125, output: 10 },
  'gpt-5.1-codex-max': { input: 1.25, cached: 0.125, output: 10 },
  'gpt-5.1-codex-mini': { input: 0.25, cached: 0.025, output: 2 },
  'gpt-5': { input: 1.25, cached: 0.125, output: 10 },
  'gpt-5-codex': { input: 1.25, cached: 0.125, output: 10 },
  'gpt-5-mini': { input: 0.25, cached: 0.025, output: 2 },
  'claude-haiku-5-5': { ...claude(0.1, 0.01), long: { above: 100_000, input: 5, output: 5 } },
  'claude-haiku-4-5': claude(1, 0.1),
  'claude-3-5-haiku': claude(0.8, 0.08),
  'claude-sonnet-5-5': claude(2, 0.1),
  'claude-sonnet-5': claude(2, 0.2),
  'claude-sonnet-4-6': claude(3, 0.3),
  'claude-sonnet-4-5': claude(3, 0.3),
  'claude-sonnet-4': claude(3, 0.3),
  'claude-3-7-sonnet': claude(3, 0.3),
  'claude-opus-5-5': claude(4, 0.2),
  'claude-opus-5': claude(5, 0.5),
  'claude-opus-4-8': claude(5, 0.5),
  'claude-opus-4-7': claude(5, 0.5),
  'claude-opus-4-6': claude(5, 0.5),
  'claude-opus-4-5': claude(5, 0.5),
  'claude-opus-4-1': claude(15, 1.5),
  'claude-opus-4': claude(15, 1.5),
  'claude-fable-5-2': claude(8, 0.2),
  'claude-fable-5-1': claude(10, 0.25),
  'claude-fable-5': claude(10, 1),
  'claude-mythos-5-2': claude(8, 0.2),
  'claude-mythos-5-1': claude(10, 0.25),
  'claude-mythos-5': claude(10, 1),
  'gemini-3.5-flash': { input: 1.5, cached: 0.15, output: 9 },
  'gemini-3.1-pro': { input: 2, cached: 0.2, output: 12, long: LONG_GEMINI },
  'gemini-3.1-flash-lite': { input: 0.25, cached: 0.025, output: 1.5 },
  'gemini-3-pro': { input: 2, cached: 0.2, output: 12, long: LONG_GEMINI },
  'gemini-3-flash': { input: 0.5, cached: 0.05, output: 3 },
  'gemini-2.5-pro': { input: 1.25, cached: 0.125, output: 10, long: LONG_GEMINI },
  'gemini-2.5-flash': { input: 0.3, cached: 0.03, output: 2.5 },
  'gemini-2.5-flash-lite': { input: 0.1, cached: 0.01, output: 0.4 },
};

/** Suffixes of versions that have the price of their model: a preview, or a dated snapshot. */
const VERSION = /(-preview)?(-\d{4}-\d{2}-\d{2}|-\d{2}-\d{4}|-\d{8})?$/;
const MILLION = 1_000_000;

/** The cost of a model's tokens in US dollars; undefined for a model that is not on the list. */
export function costOf(model: string, tokens: BilledTokens, prices: PriceList = PRICES): number | undefined {
  const price = priceOf(model, prices);
  if (price === undefined) return undefined;
  const { long } = price;
  const times = long !== undefined && (tokens.promptTokens ?? 0) > long.above ? long : { input: 1, output: 1 };
  const written = price.written ?? price.input;
  const forHour = tokens.writtenForHourTokens ?? 0;
  const input =
    tokens.inputTokens * price.input +
    tokens.cachedTokens * price.cached +
    ((tokens.writtenTokens ?? 0) - forHour) * written +
    forHour * (price.writtenForHour ?? written);
  return (input * times.input + tokens.outputTokens * price.output * times.output) / MILLION;
}

function priceOf(model: string, prices: PriceList): Price | undefined {
  const name = [model, model.replace(VERSION, '')].find((candidate) => Object.hasOwn(prices, candidate));
  return name === undefined ? undefined : prices[name];
}
