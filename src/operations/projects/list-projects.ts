import type { KnownProject } from '../../schema/known-project.ts';
import type { RunOverview } from '../../schema/overview.ts';
import type { Operation } from '../operation.ts';

/** Lists the projects of all runs, the one in which something happened last first. */
export const listProjects: Operation<'list-projects'> = async (ports) => {
  const known = new Map<string, KnownProject>();
  for (const run of ports.overviews.all()) {
    const project = known.get(run.projectId) ?? begin(run, ports.files.isFolder(run.project));
    known.set(run.projectId, count(project, run));
  }
  return [...known.values()].sort((a, b) => b.lastAt.localeCompare(a.lastAt));
};

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
