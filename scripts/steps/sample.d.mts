export interface Sample {
  folder: string;
  repository: string;
  env: NodeJS.ProcessEnv;
}
export function makeSample(): Sample;
export function lookAround(sample: Sample, launcher: string): string[];
