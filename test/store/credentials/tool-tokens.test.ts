import { describe, expect, it } from 'vitest';
import { attemptOfToken, isTokenOf, ToolToken, toolToken } from '../../../src/store/credentials/tool-tokens.ts';

const KEY = 'a'.repeat(64);
const TOKEN = toolToken(KEY, 'k3v9q2xa-1-2');
const [, CODE = ''] = TOKEN.split('.');

describe('the token of an attempt', () => {
  it('names its attempt, which one code proves', () => {
    expect(ToolToken.safeParse(TOKEN).success).toBe(true);
    expect(attemptOfToken(KEY, TOKEN)).toBe('k3v9q2xa-1-2');
    expect(isTokenOf(KEY, 'k3v9q2xa-1-2', TOKEN)).toBe(true);
  });

  it.each([
    ['of another attempt', `k3v9q2xa-1-1.${CODE}`],
    ['of another key', toolToken('b'.repeat(64), 'k3v9q2xa-1-2')],
    ['without a code', 'k3v9q2xa-1-2.'],
    ['with another code', `k3v9q2xa-1-2.${'f'.repeat(64)}`],
    ['that is empty', ''],
  ])('is refused if it is one %s', (_, token) => {
    expect(attemptOfToken(KEY, token)).toBeUndefined();
    expect(isTokenOf(KEY, 'k3v9q2xa-1-2', token)).toBe(false);
    expect(isTokenOf(KEY, 'k3v9q2xa-1-1', token)).toBe(false);
  });

  it('of an agent that an earlier version started is the code alone, and names nobody', () => {
    expect(isTokenOf(KEY, 'k3v9q2xa-1-2', CODE)).toBe(true);
    expect(isTokenOf(KEY, 'k3v9q2xa-1-1', CODE)).toBe(false);
    expect(ToolToken.safeParse(CODE).success).toBe(false);
    expect(attemptOfToken(KEY, CODE)).toBeUndefined();
  });
});
