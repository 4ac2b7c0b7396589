/** The result of a benchmark; the ceiling was measured in the same run. */
export type Measurement = {
  value: number;
  unit: string;
  /** The same quantity for the minimal implementation that ours is compared with. */
  ceiling: number;
  ratio: number;
  /** How it was measured, and further results. */
  note: string;
};

/** One quantity, its ceiling and the target ratio. */
export interface Benchmark {
  readonly name: string;
  readonly summary: string;
  readonly target: { readonly is: 'at most' | 'at least'; readonly ratio: number };
  /** `isQuick`: a smaller run with an approximate result. `rounds`: instead of the usual number, where a row takes long. */
  measure(isQuick: boolean, rounds?: number): Promise<Measurement>;
}
