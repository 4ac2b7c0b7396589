import { runSummary } from '../core/document.ts';
import type { Operation } from './operation.ts';

/** Lists runs, newest first: of one project, or of all. */
export const listRuns: Operation<'list-runs'> = async (ports, { dir, limit }) => {
  const project = dir === undefined ? undefined : await ports.work.project(dir);
  const found = [];
  for (const id of ports.runs.ids()) {
    if (found.length >= limit) break;
    const state = ports.runs.state(id);
    if (project === undefined || state.start.project.id === project.id) found.push(runSummary(state));
  }
  return found;
};
