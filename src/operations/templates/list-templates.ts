import { z } from 'zod';
import { TemplateDocument } from '../../schema/template.ts';
import { listTemplates as readTemplates, templateSources } from '../../templates/load.ts';
import { operation } from '../operation.ts';
import { describeTemplate, runsFromTemplates } from './describe-template.ts';

/** Lists the templates for a folder; a file with errors does not hide the others. */
export const listTemplates = operation({
  name: 'list-templates',
  where: 'anywhere',
  summary: 'List the templates for jobs, with statistics of their jobs',
  http: 'GET /api/templates',
  allow: ['viewer', 'operator'],
  input: z.object({ dir: z.string() }),
  output: z.object({ templates: z.array(TemplateDocument), mistakes: z.array(z.string()) }),
  run: async (app, { dir }) => {
    const { templates, mistakes } = await readTemplates(await templateSources(app.env, dir));
    const runs = await runsFromTemplates(app, dir);
    return { templates: templates.map((template) => describeTemplate(template, runs)), mistakes };
  },
});
