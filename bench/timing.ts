/** The times of all rounds, in milliseconds, and how ours relate to the ceiling's. */
export type Rounds = { ours: number[]; ceiling: number[]; ratios: number[]; ratio: number };

/** The wall time of some work, in milliseconds. */
export async function timed(work: () => Promise<void> | void): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** The processor time of some work of this process in milliseconds, independent of other processes. */
export async function processorTime(work: () => Promise<void> | void): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** Runs ours and the ceiling alternately, so that other load affects both; the ratio is that of the median round. */
export async function alternate(
  rounds: number,
  ours: (round: number) => Promise<number>,
  ceiling: (round: number) => Promise<number>,
): Promise<Rounds> {
  const times: { ours: number[]; ceiling: number[] } = { ours: [], ceiling: [] };
  for (let round = 0; round < rounds; round += 1) {
    times.ceiling.push(await ceiling(round));
    times.ours.push(await ours(round));
  }
  const ratios = times.ours.map((time, round) => time / (times.ceiling[round] ?? Number.NaN));
  return { ...times, ratios, ratio: median(ratios) };
}

/** The median, which ignores single slow rounds. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value that this share of the values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Times as text, for a note. */
export function listed(values: readonly number[], digits = 0): string {
  return values.map((value) => value.toFixed(digits)).join(', ');
}
