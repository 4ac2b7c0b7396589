import { z } from 'zod';
import { projectOf } from '../find-run.ts';
import { operation } from '../operation.ts';
import { remove } from './edit-knowledge.ts';
import { findEntry } from './find-entries.ts';

/** Removes an entry for good. */
export const removeKnowledge = operation({
  name: 'remove-knowledge',
  where: 'anywhere',
  summary: 'Remove an entry from the knowledge',
  http: 'DELETE /api/knowledge/{id}',
  allow: ['operator'],
  input: z.object({ dir: z.string(), id: z.string() }),
  output: z.object({ id: z.string() }),
  run: async (app, { dir, id }, { origin }) => {
    const project = await projectOf(app, dir);
    const { entry, stream } = await findEntry(app, { project: project.id, id });
    await remove(app, stream, { id: entry.id, origin });
    return { id: entry.id };
  },
});
