import type { StreamOperation } from '../operation.ts';

/** Follows all runs, or those of a project: each as it stands now and whenever that changes, the latest state only. */
export const watchRuns: StreamOperation<'watch-runs'> = async function* (ports, { dir, ...from }, signal) {
  if (dir === undefined) {
    for await (const item of ports.overviews.watch(from, signal)) yield [item];
    return;
  }
  const project = (await ports.work.project(dir)).id;
  for await (const item of ports.overviews.watch({ ...from, project }, signal))
    if (!('run' in item) || item.run.projectId === project) yield [item];
};
