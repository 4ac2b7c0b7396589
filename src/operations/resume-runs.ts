import { unpauseRun } from '../core/decide/pause.ts';
import { AppError } from '../errors.ts';
import { findRun, requireEngine } from './find-run.ts';
import type { Operation } from './operation.ts';

/** Goes on with one run, or with all unfinished ones of the project. */
export const resumeRuns: Operation<'resume-runs'> = async (ports, input) => {
  const engine = requireEngine(ports);
  if (input.track !== undefined && input.run === undefined)
    throw new AppError('INPUT_INVALID', 'Name the run whose track goes on: manyhands resume <run> --track <name>');
  if (input.run !== undefined) {
    const { start, status } = await findRun(ports, input);
    if (status.kind === 'ended')
      throw new AppError('REFUSED', `Run ${start.run} has ended (${status.status}); manyhands retry opens it again`);
    await engine.submit(start.run, (state) =>
      unpauseRun(state, input.track === undefined ? {} : { track: input.track }),
    );
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
