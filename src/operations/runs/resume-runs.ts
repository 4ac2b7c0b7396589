import type { Ports } from '../../app/port-interfaces.ts';
import { unpauseRun } from '../../core/run/pause.ts';
import { AppError, messageOf } from '../../errors.ts';
import { runBatches } from '../batches/run-batch.ts';
import type { OperationOutput } from '../contracts.ts';
import { findRun, requireEngine } from '../find-run.ts';
import type { Operation } from '../operation.ts';

/** Goes on with one run, with all unfinished ones of a project, or, without either, with those of all projects. */
export const resumeRuns: Operation<'resume-runs'> = async (ports, input) => {
  const engine = requireEngine(ports);
  if (input.run !== undefined || input.track !== undefined) {
    const { start, status } = await findRun(ports, input);
    if (status.kind === 'ended')
      throw new AppError('REFUSED', `Run ${start.run} has ended (${status.status}); manyhands retry opens it again`, {
        run: start.run,
      });
    await engine.submit(start.run, (state) =>
      unpauseRun(state, input.track === undefined ? {} : { track: input.track }),
    );
    await engine.resume(start.run);
    return { runs: [start.run] };
  }
  if (input.dir === undefined) return resumeAll(ports);
  const project = await ports.work.project(input.dir);
  const runs = unfinished(ports).filter((id) => ports.overviews.of(id).projectId === project.id);
  for (const run of runs) await engine.resume(run);
  runBatches(ports, project.id);
  return { runs };
};

/** A run that cannot be taken up, because its repository has gone, say, does not keep the others from going on. */
async function resumeAll(ports: Ports): Promise<OperationOutput<'resume-runs'>> {
  const engine = requireEngine(ports);
  const runs: string[] = [];
  const refused: { run: string; reason: string }[] = [];
  for (const run of unfinished(ports)) {
    try {
      await engine.resume(run);
      runs.push(run);
    } catch (error) {
      refused.push({ run, reason: messageOf(error) });
    }
  }
  for (const project of ports.projects.ids()) runBatches(ports, project);
  return { runs, refused };
}

function unfinished(ports: Ports): string[] {
  return ports.overviews.all().flatMap(({ run, endedAt }) => (endedAt === null ? [run] : []));
}
