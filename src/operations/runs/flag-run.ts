import { flagRun as decideFlag, unflagRun } from '../../core/project/filing.ts';
import { filingOf } from '../../core/project/project-state.ts';
import { findRun } from '../find-run.ts';
import type { Operation } from '../operation.ts';

/** Marks a run to come back to, with a note, or takes the mark away. */
export const flagRun: Operation<'flag-run'> = async (ports, { flagged, note, ...ref }) => {
  const { run, project } = (await findRun(ports, ref)).start;
  const state = await ports.projects.submit(project.id, (current) =>
    flagged ? decideFlag(current, run, note) : unflagRun(current, run),
  );
  return { run, ...filingOf(state, run) };
};
