import { describe, expect, it } from 'vitest';
import { costOf, PRICES, PRICES_READ_ON } from '../../src/agents/prices.ts';

const MILLION = 1_000_000;
const LIST = {
  plain: { input: 1, cached: 0.1, output: 10 },
  tiered: { input: 1, cached: 0.1, written: 2, output: 10, long: { above: 100, input: 2, output: 1.5 } },
};

describe('the price of tokens', () => {
  it('is by kind of token', () => {
    const tokens = { inputTokens: MILLION, cachedTokens: MILLION, outputTokens: MILLION };
    expect(costOf('plain', tokens, LIST)).toBeCloseTo(11.1);
  });

  it('of input written to a cache is its own, or that of other input', () => {
    const tokens = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, writtenTokens: MILLION };
    expect(costOf('tiered', tokens, LIST)).toBe(2);
    expect(costOf('plain', tokens, LIST)).toBe(1);
  });

  it('is higher for all of a call with a long prompt', () => {
    const tokens = { inputTokens: MILLION, cachedTokens: 0, outputTokens: MILLION };
    expect(costOf('tiered', { ...tokens, promptTokens: 100 }, LIST)).toBe(11);
    expect(costOf('tiered', { ...tokens, promptTokens: 101 }, LIST)).toBe(17);
  });

  it('of a preview or a dated snapshot is that of its model', () => {
    const tokens = { inputTokens: MILLION, cachedTokens: 0, outputTokens: 0 };
    for (const version of ['plain-preview', 'plain-2026-04-01', 'plain-preview-09-2025']) {
      expect(costOf(version, tokens, LIST)).toBe(1);
    }
  });

  it('is unknown for a model that is not on the list, whatever its name', () => {
    const tokens = { inputTokens: 1, cachedTokens: 0, outputTokens: 0 };
    for (const name of ['plain-mini', 'constructor', '', 'toString'])
      expect(costOf(name, tokens, LIST)).toBeUndefined();
  });

  it('list has a date and only valid amounts', () => {
    expect(PRICES_READ_ON).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    for (const price of Object.values(PRICES)) {
      expect(price.input).toBeGreaterThan(0);
      expect(price.cached).toBeLessThan(price.input);
      expect(price.output).toBeGreaterThan(price.input);
    }
  });
});
