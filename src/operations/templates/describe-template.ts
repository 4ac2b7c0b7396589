import type { App } from '../../app.ts';
import { templateStatistics, usedTemplate } from '../../core/project/template-statistics.ts';
import type { RunState } from '../../core/run/state.ts';
import { findRecipe } from '../../recipes/registry.ts';
import type { Template, TemplateDocument } from '../../schema/template.ts';
import { projectOf } from '../find-run.ts';

/** `project`: undefined if the folder is not a project and therefore has no runs. */
type TemplateRuns = { all: RunState[]; project: string | undefined };

/** The jobs from templates, as seen from a folder. */
export async function runsFromTemplates(app: App, dir: string): Promise<TemplateRuns> {
  const project = await projectOf(app, dir).catch(() => undefined);
  const candidates = app.overviews.all().filter(({ recipe }) => findRecipe(recipe)?.usesTemplates === true);
  const all = candidates.map(({ run }) => app.runs.state(run));
  return { all: all.filter((run) => usedTemplate(run) !== undefined), project: project?.id };
}

/** A template with the statistics of its jobs; one of the project counts that project's jobs, the others all. */
export function describeTemplate(template: Template, { all, project }: TemplateRuns): TemplateDocument {
  const { name, summary, from, file, checks, text } = template;
  const runs = from === 'project' ? all.filter(({ start }) => start.project.id === project) : all;
  return {
    name,
    summary,
    from,
    file,
    agent: template.agent ?? null,
    tier: template.tier ?? null,
    role: template.role ?? null,
    write: template.role === undefined || template.write === true,
    dir: template.dir ?? null,
    checks,
    budget: template.budget ?? null,
    text,
    statistics: templateStatistics(runs, name),
  };
}
