import { z } from 'zod';
import type { App } from '../../app.ts';
import { requireCollection } from '../../core/project/collection.ts';
import { runSummary } from '../../core/view/document.ts';
import { RunStatus, RunSummary } from '../../schema/document.ts';
import type { RunOverview } from '../../schema/overview.ts';
import { completeId, projectFilter } from '../find-run.ts';
import { operation } from '../operation.ts';

const Filter = z.object({
  dir: z.string().optional(),
  limit: z.number().int().positive().max(1000).default(20),
  collection: z.string().optional(),
  flagged: z.boolean().default(false).describe('Only flagged runs.'),
  hidden: z.boolean().default(false).describe('Include hidden runs; they do not count against the limit.'),
  status: z.array(RunStatus).optional().describe('Only runs with one of these statuses.'),
  text: z.string().max(1_000).optional().describe('Only runs whose title, id or recipe contains every word of it.'),
  project: z.string().optional().describe('Only runs of the project with this id.'),
  before: z.string().optional().describe('Only runs that are older than this one.'),
  archived: z.boolean().default(false).describe('List runs that are in archives and no longer in the database.'),
});
type Filter = z.infer<typeof Filter>;

/** Lists runs, newest first: of one project, or of all; hidden ones only on request. */
export const listRuns = operation({
  name: 'list-runs',
  where: 'anywhere',
  summary: 'List runs, newest first',
  http: 'GET /api/runs',
  allow: ['viewer', 'operator'],
  input: Filter,
  output: z.array(RunSummary),
  run: async (app, input) => {
    const project = await projectFilter(app, input);
    if (project !== undefined && input.collection !== undefined)
      requireCollection(app.projects.state(project), input.collection);
    const isSelected = (run: RunSummary, projectId: string) =>
      (project === undefined || projectId === project) && matches(run, input);
    return input.archived ? listArchived(app, input, isSelected) : listStored(app, input, isSelected);
  },
});

type IsSelected = (run: RunSummary, projectId: string) => boolean;

function listStored(app: App, { before, limit, hidden }: Filter, isSelected: IsSelected): RunSummary[] {
  const ids = app.runs.ids();
  const from = before === undefined ? 0 : ids.indexOf(completeId(app, before)) + 1;
  const found: RunSummary[] = [];
  let counted = 0;
  for (const id of ids.slice(from)) {
    if (counted >= limit) break;
    const run = app.overviews.of(id);
    if (!isSelected(run, run.projectId) || (run.hidden && !hidden)) continue;
    if (!run.hidden) counted += 1;
    found.push(summaryOf(run));
  }
  return found;
}

async function listArchived(app: App, { before, limit }: Filter, isSelected: IsSelected): Promise<RunSummary[]> {
  const { archivedRuns } = await import('../maintenance/archived-runs.ts');
  const found: RunSummary[] = [];
  let isBehind = before === undefined;
  for await (const state of archivedRuns(app)) {
    if (found.length >= limit) break;
    const run = runSummary(state);
    if (isBehind && isSelected(run, state.start.project.id)) found.push(run);
    isBehind ||= run.run === before;
  }
  return found;
}

function matches(run: RunSummary, { collection, flagged, status, text }: Filter): boolean {
  if (collection !== undefined && run.collection !== collection) return false;
  if (flagged && run.flag === null) return false;
  if (status !== undefined && !status.includes(run.status)) return false;
  const words = (text ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const searched = `${run.run} ${run.title} ${run.recipe} ${run.project}`.toLowerCase();
  return words.every((word) => searched.includes(word));
}

/** Exactly the fields of a list entry, because scripts read them. */
function summaryOf(overview: RunOverview): RunSummary {
  const { run, title, recipe, project, status, startedAt, endedAt, nextAt, carried, tasks, done } = overview;
  const { cost, unknownUsage } = overview;
  const unknown = unknownUsage === undefined ? {} : { unknownUsage };
  const { waitsFor, collection, hidden, flag } = overview;
  const filing = { collection, hidden, flag };
  const times = { startedAt, endedAt, nextAt };
  return { run, title, recipe, project, status, cost, ...unknown, ...times, waitsFor, carried, tasks, done, ...filing };
}
