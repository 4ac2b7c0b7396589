/** What a benchmark found; the ceiling was timed in the same run. */
export type Measurement = {
  value: number;
  unit: string;
  /** The same quantity for the bare thing that ours is compared with. */
  ceiling: number;
  ratio: number;
  /** How it was measured, and what else was seen. */
  note: string;
};

/** One quantity, its ceiling and the ratio that is promised. */
export interface Benchmark {
  readonly name: string;
  readonly summary: string;
  readonly target: { readonly is: 'at most' | 'at least'; readonly ratio: number };
  /** `isQuick`: a smaller run that shows roughly where it stands. */
  measure(isQuick: boolean): Promise<Measurement>;
}
