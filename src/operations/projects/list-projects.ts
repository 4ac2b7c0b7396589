import { existsSync, statSync } from 'node:fs';
import { z } from 'zod';
import type { RunOverview } from '../../schema/overview.ts';
import { operation } from '../operation.ts';
import { remoteProjects } from './add-project.ts';

/** A project in which a run was ever started, or that was added by its URL. */
const KnownProject = z.object({
  id: z.string(),
  root: z.string(),
  name: z.string(),
  exists: z.boolean().describe('Whether its folder still exists.'),
  runs: z.number().int(),
  lastAt: z.string().describe('The time of the last event of its runs.'),
  costUsd: z.number(),
  remote: z.string().optional().describe('The URL of its repository, if it was added by that.'),
});
type KnownProject = z.infer<typeof KnownProject>;

/** Lists the projects of all runs, the most recently used first. */
export const listProjects = operation({
  name: 'list-projects',
  where: 'anywhere',
  summary: 'List the projects in which a run was ever started, or that were added by their URL',
  http: 'GET /api/projects',
  allow: ['viewer', 'operator'],
  input: z.object({}),
  output: z.array(KnownProject),
  run: async (app) => {
    const known = new Map<string, KnownProject>();
    for (const { id, name, remote, root } of remoteProjects(app))
      known.set(id, { id, root, name, remote, exists: isFolder(root), runs: 0, lastAt: '', costUsd: 0 });
    for (const run of app.overviews.all()) {
      const project = known.get(run.projectId) ?? begin(run, isFolder(run.project));
      known.set(run.projectId, count(project, run));
    }
    return [...known.values()].sort((a, b) => b.lastAt.localeCompare(a.lastAt));
  },
});

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

function begin({ projectId, project }: RunOverview, exists: boolean): KnownProject {
  const name = project.split(/[\\/]/).filter(Boolean).at(-1) ?? project;
  return { id: projectId, root: project, name, exists, runs: 0, lastAt: '', costUsd: 0 };
}

function count(project: KnownProject, { updatedAt, cost }: RunOverview): KnownProject {
  return {
    ...project,
    runs: project.runs + 1,
    lastAt: updatedAt > project.lastAt ? updatedAt : project.lastAt,
    costUsd: Math.round((project.costUsd + cost) * 1e6) / 1e6,
  };
}
