import { z } from 'zod';
import { FileName } from '../../schema/template.ts';
import { templateSources } from '../../templates/load.ts';
import { removeTemplate as removeFile } from '../../templates/write.ts';
import { operation } from '../operation.ts';

/** Removes a template of the project, or of the user. */
export const removeTemplate = operation({
  name: 'remove-template',
  where: 'anywhere',
  summary: 'Remove a template; built-in ones cannot be removed',
  http: 'DELETE /api/templates/{name}',
  allow: ['operator'],
  input: z.object({ dir: z.string(), name: FileName, scope: z.enum(['project', 'global']).default('project') }),
  output: z.object({ name: z.string(), file: z.string() }),
  run: async (app, { dir, name, scope }) => ({
    name,
    file: await removeFile(await templateSources(app.env, dir), { name, scope }),
  }),
});
