import { summarizeUsage } from '../core/usage.ts';
import type { Operation } from './operation.ts';

/** Tells what the runs of one project, or of all, have consumed. */
export const usage: Operation<'usage'> = async (ports, { dir, by }) => {
  const project = dir === undefined ? undefined : (await ports.work.project(dir)).id;
  const states = ports.runs.ids().map((id) => ports.runs.state(id));
  return summarizeUsage(
    states.filter((state) => project === undefined || state.start.project.id === project),
    by,
  );
};
