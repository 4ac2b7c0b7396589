import type { Operation } from '../operation.ts';

/** Puts old ended runs into files; only tells, unless asked to apply. */
export const archive: Operation<'archive'> = async (ports, { dir, olderThanDays, apply, remove }) => {
  const project = dir === undefined ? undefined : (await ports.work.project(dir)).id;
  return ports.keep.archive({ project, olderThanDays, apply, remove });
};
