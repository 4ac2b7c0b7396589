/** One review round: how heavy its findings were, and the commit that was reviewed. */
export type ReviewRound = { score: number; high: number; commit: string };

export type Convergence =
  | { kind: 'clean' }
  | { kind: 'continue' }
  | { kind: 'stop'; why: 'plateau' | 'deterioration' | 'rounds'; best: ReviewRound };

export const SEVERITY_SCORE = { low: 0, medium: 1, high: 3 } as const;

/**
 * Whether another round of fixing is worth it: stops on a clean review, when a round found no less than the one before
 * (plateau) or more (deterioration), and at the cap. The best tree is the one with the lightest findings, not the last.
 */
export function converge(rounds: readonly ReviewRound[], most: number): Convergence {
  const last = rounds.at(-1);
  if (last === undefined) return { kind: 'continue' };
  if (last.score === 0) return { kind: 'clean' };
  const best = rounds.reduce((lightest, round) => (round.score < lightest.score ? round : lightest), last);
  const before = rounds.at(-2);
  if (before !== undefined && last.score > before.score) return { kind: 'stop', why: 'deterioration', best };
  if (before !== undefined && last.score === before.score) return { kind: 'stop', why: 'plateau', best };
  if (rounds.length >= most) return { kind: 'stop', why: 'rounds', best };
  return { kind: 'continue' };
}
