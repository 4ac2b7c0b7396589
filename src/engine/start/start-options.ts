import { checksOfRun } from '../../core/project/configured-checks.ts';
import { momentText } from '../../core/view/amounts.ts';
import { AppError } from '../../errors.ts';
import { Labels } from '../../schema/config/hosts.ts';
import type { Config } from '../../schema/config.ts';
import type { StartOptions } from '../../schema/request.ts';

/** The settings of a run: those of the project with what its request changes. */
export function withOptions(config: Config, options: StartOptions): Config {
  const most = options.maxIterations ?? Number.POSITIVE_INFINITY;
  return {
    ...config,
    ...(options.repairBase === true ? { baseRed: 'repair' as const } : {}),
    ...(options.knownRed === true ? { baseRed: 'known' as const } : {}),
    checks: checksOfRun(config, options.checks),
    labels: labelsOfRun(config, options),
    limits: { ...config.limits, agents: options.maxParallel ?? config.limits.agents },
    review: { ...config.review, rounds: Math.min(config.review.rounds, most) },
    verify: { ...config.verify, maxAttempts: Math.min(config.verify.maxAttempts, most) },
    budget: { ...config.budget, ...(options.budget === undefined ? {} : { run: options.budget }) },
  };
}

function labelsOfRun(config: Config, options: StartOptions): string[] {
  const all = [...new Set([...config.labels, ...(options.labels ?? [])])];
  if (Labels.safeParse(all).success) return all;
  throw new AppError(
    'INPUT_INVALID',
    `A run can require at most 20 labels, and these are ${all.length}: ${all.join(', ')}`,
  );
}

/** A deadline that has passed would end the run before its first task. */
export function requireFuture({ until }: StartOptions, now: number): void {
  if (until === undefined || until > now) return;
  throw new AppError('INPUT_INVALID', `The deadline ${momentText(until)} has passed`, { until });
}
