import type { BenchKind } from '../schema/model.ts';

/** A small task with a known answer: the same for every model, judged by a program and never by a model. */
export interface BenchTask {
  readonly kind: BenchKind;
  readonly title: string;
  readonly prompt: string;
  /** The files of its repository, by path. */
  readonly files: Readonly<Record<string, string | Buffer>>;
  /** A program for Node that exits 0 in the repository if the task is done. */
  readonly check: string;
  /** Rough sizes of one attempt, over all its turns; the price of a model makes money of them. */
  readonly tokens: { input: number; output: number };
  /** US dollars that one attempt may cost at most. */
  readonly mostUsd: number;
}
