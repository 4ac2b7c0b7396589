import { z } from 'zod';
import { FileName, TemplateDocument, TemplateHeader } from '../../schema/template.ts';
import { templateSources } from '../../templates/load.ts';
import { writeTemplate } from '../../templates/write.ts';
import { operation } from '../operation.ts';
import { describeTemplate, runsFromTemplates } from './describe-template.ts';

/** Writes a template; one with errors is not written. */
export const saveTemplate = operation({
  name: 'save-template',
  where: 'anywhere',
  summary: 'Write a template for jobs',
  http: 'PUT /api/templates/{name}',
  allow: ['operator'],
  input: z.object({
    dir: z.string(),
    name: FileName,
    text: z.string().min(1).max(100_000).describe('Its guidelines, or a complete file with front matter.'),
    header: TemplateHeader.omit({ name: true }).partial().prefault({}),
    scope: z.enum(['project', 'global']).default('project'),
    replace: z.boolean().default(false).describe('Replace an existing template of that name.'),
  }),
  output: TemplateDocument,
  run: async (app, { dir, name, text, header, scope, replace }) => {
    const fields = Object.fromEntries(Object.entries(header).filter(([, value]) => value !== undefined));
    const written = { name, content: text, header: fields, scope, force: replace };
    const template = await writeTemplate(await templateSources(app.env, dir), written);
    return describeTemplate(template, await runsFromTemplates(app, dir));
  },
});
