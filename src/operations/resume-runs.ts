import { AppError } from '../errors.ts';
import { findRun, requireEngine } from './find-run.ts';
import type { Operation } from './operation.ts';

/** Goes on with one run, or with all unfinished ones of the project. */
export const resumeRuns: Operation<'resume-runs'> = async (ports, input) => {
  const engine = requireEngine(ports);
  if (input.run !== undefined) {
    const { start, status } = await findRun(ports, input);
    if (status.kind === 'ended')
      throw new AppError('REFUSED', `Run ${start.run} has ended (${status.status}); manyhands retry opens it again`);
    await engine.carry(start.run);
    return { runs: [start.run] };
  }
  const project = await ports.work.project(input.dir);
  const runs = ports.runs.ids().filter((id) => {
    const { start, status } = ports.runs.state(id);
    return start.project.id === project.id && status.kind !== 'ended';
  });
  for (const run of runs) await engine.carry(run);
  return { runs };
};
