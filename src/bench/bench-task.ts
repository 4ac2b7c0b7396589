import type { BenchKind } from '../schema/model.ts';

/** A small task with a known answer: the same for every model, checked by a program and never by a model. */
export interface BenchTask {
  readonly kind: BenchKind;
  readonly title: string;
  readonly prompt: string;
  /** The files of its repository, by path. */
  readonly files: Readonly<Record<string, string | Buffer>>;
  /** A program for Node that exits 0 in the repository if the task is done. */
  readonly check: string;
  /** Approximate tokens of one attempt, over all its turns, to estimate its price. */
  readonly tokens: { input: number; output: number };
  /** The maximum cost of one attempt in US dollars. */
  readonly mostUsd: number;
}
