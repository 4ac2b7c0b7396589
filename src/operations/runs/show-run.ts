import { filingOf } from '../../core/project/project-state.ts';
import { runDocument } from '../../core/view/document.ts';
import { findRun } from '../find-run.ts';
import type { Operation } from '../operation.ts';

/** Shows a run with its tasks, evidence, what waits for a person, and how it is filed. */
export const showRun: Operation<'show-run'> = async (ports, input) => {
  const state = await findRun(ports, input);
  const { run, project } = state.start;
  return {
    ...runDocument(state),
    carried: ports.runs.isActive(run),
    filing: filingOf(ports.projects.state(project.id), run),
  };
};
