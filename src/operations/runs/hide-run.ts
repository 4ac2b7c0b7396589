import { hideRun as decideHide } from '../../core/project/filing.ts';
import { filingOf } from '../../core/project/project-state.ts';
import { findRun } from '../find-run.ts';
import type { Operation } from '../operation.ts';

/** Leaves a run out of lists, or lists it again; nothing of it is removed. */
export const hideRun: Operation<'hide-run'> = async (ports, { hidden, ...ref }) => {
  const { run, project } = (await findRun(ports, ref)).start;
  const state = await ports.projects.submit(project.id, (current) => decideHide(current, run, hidden));
  return { run, ...filingOf(state, run) };
};
