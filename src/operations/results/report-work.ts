import { basename } from 'node:path';
import { z } from 'zod';
import type { App } from '../../app.ts';
import type { RunState } from '../../core/run/state.ts';
import { completeId, projectFilter } from '../find-run.ts';

const DAY_MS = 24 * 3_600_000;

/** Which runs a report about work covers. */
export const WorkReportRequest = {
  dir: z.string().optional().describe('A folder of the project; default: all projects.'),
  project: z.string().optional().describe('Only the project with this id.'),
  run: z.string().optional().describe('Only this run.'),
  days: z.int().min(1).max(3_650).default(7).describe('Runs that were active in this many days.'),
  format: z.enum(['md', 'html']).default('md'),
};
type Request = { dir?: string | undefined; project?: string | undefined; run?: string | undefined; days: number };

/** More are left out, the oldest first. */
const MOST_RUNS = 500;

/** The runs of a report, the newest first, and how the report calls them. */
export async function runsOfReport(
  app: App,
  { dir, project, run, days }: Request,
): Promise<{ runs: RunState[]; subject: string }> {
  if (run !== undefined) {
    const id = completeId(app, run);
    return { runs: [app.runs.state(id)], subject: `run ${id}` };
  }
  const selected = await projectFilter(app, { dir, project });
  const since = new Date(app.world.now() - days * DAY_MS).toISOString();
  const found = app.overviews
    .all()
    .filter(({ projectId, updatedAt }) => (selected === undefined || projectId === selected) && updatedAt >= since)
    .sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1))
    .slice(0, MOST_RUNS);
  const runs = found.map((overview) => app.runs.state(overview.run));
  const name = selected === undefined ? 'all projects' : basename(runs[0]?.start.project.root ?? dir ?? selected);
  return { runs, subject: `${name}, last ${days} ${days === 1 ? 'day' : 'days'}` };
}
