import type { Ports } from '../../app/port-interfaces.ts';
import { requireCollection } from '../../core/project/collection.ts';
import { runSummary } from '../../core/view/document.ts';
import type { RunSummary } from '../../schema/document.ts';
import type { RunOverview } from '../../schema/overview.ts';
import type { OperationChecked } from '../contracts.ts';
import { completeId } from '../find-run.ts';
import type { Operation } from '../operation.ts';

type Wanted = OperationChecked<'list-runs'>;

/** Lists runs, newest first: of one project, or of all; those that are hidden only when asked for. */
export const listRuns: Operation<'list-runs'> = async (ports, asked) => {
  const project = asked.dir === undefined ? asked.project : (await ports.work.project(asked.dir)).id;
  if (project !== undefined && asked.collection !== undefined)
    requireCollection(ports.projects.state(project), asked.collection);
  const isWanted = (run: RunSummary, projectId: string) =>
    (project === undefined || projectId === project) && matches(run, asked);
  return asked.archived ? archivedRuns(ports, asked, isWanted) : storedRuns(ports, asked, isWanted);
};

type IsWanted = (run: RunSummary, projectId: string) => boolean;

function storedRuns(ports: Ports, { before, limit, hidden }: Wanted, isWanted: IsWanted): RunSummary[] {
  const ids = ports.runs.ids();
  const from = before === undefined ? 0 : ids.indexOf(completeId(ports, before)) + 1;
  const found: RunSummary[] = [];
  let counted = 0;
  for (const id of ids.slice(from)) {
    if (counted >= limit) break;
    const run = ports.overviews.of(id);
    if (!isWanted(run, run.projectId) || (run.hidden && !hidden)) continue;
    if (!run.hidden) counted += 1;
    found.push(summaryOf(run));
  }
  return found;
}

async function archivedRuns(ports: Ports, { before, limit }: Wanted, isWanted: IsWanted): Promise<RunSummary[]> {
  const found: RunSummary[] = [];
  let isBehind = before === undefined;
  for await (const { state } of ports.keep.archived()) {
    if (found.length >= limit) break;
    const run = runSummary(state);
    if (isBehind && isWanted(run, state.start.project.id)) found.push(run);
    isBehind ||= run.run === before;
  }
  return found;
}

function matches(run: RunSummary, { collection, flagged, status, text }: Wanted): boolean {
  if (collection !== undefined && run.collection !== collection) return false;
  if (flagged && run.flag === null) return false;
  if (status !== undefined && !status.includes(run.status)) return false;
  const words = (text ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const said = `${run.run} ${run.title} ${run.recipe} ${run.project}`.toLowerCase();
  return words.every((word) => said.includes(word));
}

/** What a line of a list tells, and no more: scripts read it. */
function summaryOf(overview: RunOverview): RunSummary {
  const { run, title, recipe, project, status, cost, startedAt, endedAt, nextAt, carried, tasks, done } = overview;
  const { collection, hidden, flag } = overview;
  const filing = { collection, hidden, flag };
  return { run, title, recipe, project, status, cost, startedAt, endedAt, nextAt, carried, tasks, done, ...filing };
}
