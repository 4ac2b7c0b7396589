import { describe, expect, it } from 'vitest';
import { Confirmations } from '../../src/access/confirmations.ts';
import { realWorld } from '../../src/world.ts';

function shown() {
  const texts: string[] = [];
  let now = 1_000;
  const world = { ...realWorld, now: () => now };
  const codes = new Confirmations(world, (text) => texts.push(text) > 0);
  const code = () => /: ([A-Z2-9]{6})\r\n$/.exec(texts.at(-1) ?? '')?.[1] ?? '';
  return { codes, code, pass: (ms: number) => (now += ms) };
}

describe('the code of a decision', () => {
  it('is valid once, for that decision only, in either case of letters', () => {
    const { codes, code } = shown();
    expect(codes.request('approve a', 'approve-run')).toBe(true);
    const first = code();
    expect(first).toHaveLength(6);
    expect(codes.accept('approve b', first)).toBe(false);
    expect(codes.accept('approve a', ` ${first.toLowerCase()}\n`)).toBe(true);
    expect(codes.accept('approve a', first)).toBe(false);
  });

  it('is void after three wrong ones, after five minutes, and after a newer one', () => {
    const { codes, code, pass } = shown();
    codes.request('a', 'x');
    for (const wrong of ['AAAAAA', '', '111111']) expect(codes.accept('a', wrong)).toBe(false);
    expect(codes.accept('a', code())).toBe(false);
    codes.request('a', 'x');
    pass(5 * 60_000 + 1);
    expect(codes.accept('a', code())).toBe(false);
    codes.request('a', 'x');
    const older = code();
    codes.request('a', 'x');
    expect([codes.accept('a', older), codes.accept('a', code())]).toEqual([false, true]);
  });

  it('does not exist where it cannot be shown', () => {
    const codes = new Confirmations(realWorld, () => false);
    expect(codes.request('a', 'x')).toBe(false);
    expect(codes.accept('a', '')).toBe(false);
  });
});
