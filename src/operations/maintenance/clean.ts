import { requireEngine } from '../find-run.ts';
import type { Operation } from '../operation.ts';

/** Removes what is saved elsewhere and no longer needed; only tells, unless asked to apply. */
export const clean: Operation<'clean'> = async (ports, { dir, olderThanDays, apply }) => {
  const project = dir === undefined ? undefined : (await ports.work.project(dir)).id;
  return requireEngine(ports).clean({ project, olderThanDays, apply });
};
