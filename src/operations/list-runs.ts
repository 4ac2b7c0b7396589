import { requireCollection } from '../core/decide/collection.ts';
import { runSummary } from '../core/document.ts';
import { filingOf, type ProjectState } from '../core/project.ts';
import type { RunSummary } from '../schema/document.ts';
import type { Operation } from './operation.ts';
import type { Ports } from './ports.ts';

/** Lists runs, newest first: of one project, or of all; those that are hidden only when asked for. */
export const listRuns: Operation<'list-runs'> = async (ports, { dir, limit, ...wanted }) => {
  const project = dir === undefined ? undefined : await ports.work.project(dir);
  const projectOf = filings(ports);
  if (project !== undefined && wanted.collection !== undefined)
    requireCollection(projectOf(project.id), wanted.collection);
  const found: RunSummary[] = [];
  let counted = 0;
  for (const id of ports.runs.ids()) {
    if (counted >= limit) break;
    const state = ports.runs.state(id);
    if (project !== undefined && state.start.project.id !== project.id) continue;
    const filing = filingOf(projectOf(state.start.project.id), id);
    if (wanted.collection !== undefined && filing.collection !== wanted.collection) continue;
    if ((wanted.flagged && filing.flag === null) || (filing.hidden && !wanted.hidden)) continue;
    if (!filing.hidden) counted += 1;
    found.push(runSummary(state, filing));
  }
  return found;
};

/** Each project is folded once, however many runs it has. */
function filings(ports: Ports): (project: string) => ProjectState {
  const known = new Map<string, ProjectState>();
  return (project) => {
    const state = known.get(project) ?? ports.projects.state(project);
    known.set(project, state);
    return state;
  };
}
