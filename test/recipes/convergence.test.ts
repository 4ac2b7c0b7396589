import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { converge, type ReviewRound } from '../../src/recipes/review-rounds.ts';

const rounds = (...scores: number[]): ReviewRound[] =>
  scores.map((score, index) => ({ score, high: 0, commit: `c${index + 1}`, findings: [] }));

/** Rounds that find less each time, with these titles. */
const found = (...titles: string[][]): ReviewRound[] =>
  titles.map((round, index) => ({
    score: 9 - index,
    high: 0,
    commit: `c${index + 1}`,
    findings: round.map((title) => ({ title, file: 'src/cart.ts', line: 12 })),
  }));

describe('review rounds', () => {
  it('begin without a reason', () => {
    expect(converge([], 3)).toEqual({ kind: 'continue' });
  });

  it('end with a clean review', () => {
    expect(converge(rounds(5, 0), 3)).toEqual({ kind: 'clean' });
  });

  it('continue while each finds less than the one before', () => {
    expect(converge(rounds(5, 3), 3)).toEqual({ kind: 'continue' });
  });

  it('stop on a plateau, on deterioration, and at the cap', () => {
    expect(converge(rounds(5, 5), 9)).toMatchObject({ kind: 'stop', why: 'plateau' });
    expect(converge(rounds(3, 5), 9)).toMatchObject({ kind: 'stop', why: 'deterioration' });
    expect(converge(rounds(5, 3, 1), 3)).toMatchObject({ kind: 'stop', why: 'rounds' });
  });

  it('stop on oscillation: a finding that was fixed returns, also in other words', () => {
    const returned = found(['Discount is applied twice'], ['Total is negative'], ['The discount is applied two times']);
    expect(converge(returned, 9)).toMatchObject({ kind: 'stop', why: 'oscillation' });
  });

  it('continue while a finding is not fixed yet, and after a new one in the same file', () => {
    const open = found(['Discount is applied twice'], ['Discount is applied twice'], ['Discount is applied twice']);
    expect(converge(open, 9)).toEqual({ kind: 'continue' });
    const other = found(['Discount is applied twice'], ['Total is negative'], ['Empty cart crashes']);
    expect(converge(other, 9)).toEqual({ kind: 'continue' });
  });

  it('keep the lightest tree, not the last', () => {
    expect(converge(rounds(3, 5), 9)).toMatchObject({ best: { commit: 'c1' } });
  });

  it('keep the later of two equally light trees', () => {
    expect(converge(rounds(5, 5), 9)).toMatchObject({ best: { commit: 'c2' } });
  });

  it('always stop at the cap', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 8 }), (scores) => {
        expect(converge(rounds(...scores), scores.length).kind).not.toBe('continue');
      }),
    );
  });
});
