import { z } from 'zod';
import { TemplateDocument } from '../../schema/template.ts';
import { loadTemplate, templateSources } from '../../templates/load.ts';
import { operation } from '../operation.ts';
import { describeTemplate, runsFromTemplates } from './describe-template.ts';

/** Shows one template with the statistics of its jobs. */
export const showTemplate = operation({
  name: 'show-template',
  where: 'anywhere',
  summary: 'Show a template, with statistics of its jobs',
  http: 'GET /api/templates/{name}',
  allow: ['viewer', 'operator'],
  input: z.object({ dir: z.string(), name: z.string() }),
  output: TemplateDocument,
  run: async (app, { dir, name }) => {
    const template = await loadTemplate(name, await templateSources(app.env, dir));
    return describeTemplate(template, await runsFromTemplates(app, dir));
  },
});
