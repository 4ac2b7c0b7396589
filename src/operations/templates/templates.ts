import type { Ports } from '../../app/port-interfaces.ts';
import { templateStatistics, usedTemplate } from '../../core/project/template-statistics.ts';
import type { RunState } from '../../core/run/state.ts';
import { findRecipe } from '../../recipes/registry.ts';
import type { Template, TemplateDocument } from '../../schema/template.ts';
import type { Operation } from '../operation.ts';

/** Lists the templates that hold for a folder; a file with mistakes does not hide the others. */
export const listTemplates: Operation<'list-templates'> = async (ports, { dir }) => {
  const { templates, mistakes } = await ports.templates.list(dir);
  const runs = await runsFrom(ports, dir);
  return { templates: templates.map((template) => describe(template, runs)), mistakes };
};

/** Shows one template with how jobs from it went. */
export const showTemplate: Operation<'show-template'> = async (ports, { dir, name }) =>
  describe(await ports.templates.load(dir, name), await runsFrom(ports, dir));

/** Writes a template; it is read first as it will stand. */
export const saveTemplate: Operation<'save-template'> = async (ports, asked) =>
  describe(await ports.files.saveTemplate(asked), await runsFrom(ports, asked.dir));

/** Removes a template of the project, or of the person. */
export const removeTemplate: Operation<'remove-template'> = (ports, asked) => ports.files.removeTemplate(asked);

/** `project`: undefined where the folder is no project, so that no run belongs to it. */
type Runs = { all: RunState[]; project: string | undefined };

async function runsFrom(ports: Ports, dir: string): Promise<Runs> {
  const project = await ports.work.project(dir).catch(() => undefined);
  const candidates = ports.overviews.all().filter(({ recipe }) => findRecipe(recipe)?.usesTemplates === true);
  const all = candidates.map(({ run }) => ports.runs.state(run));
  return { all: all.filter((run) => usedTemplate(run) !== undefined), project: project?.id };
}

/** What a template of the project says holds for that project; the others are the same everywhere. */
function describe(template: Template, { all, project }: Runs): TemplateDocument {
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
