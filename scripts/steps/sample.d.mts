export interface Sample {
  folder: string;
  repository: string;
  env: NodeJS.ProcessEnv;
}
export function makeSample(): Sample;
export function lookAround(sample: Sample, run: { launcher: string; isInterrupted: boolean }): string[];
