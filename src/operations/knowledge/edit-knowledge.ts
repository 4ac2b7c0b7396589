import { z } from 'zod';
import type { App } from '../../app.ts';
import { removeEntry, writeEntry } from '../../core/project/knowledge.ts';
import { AppError } from '../../errors.ts';
import type { Origin } from '../../schema/actor.ts';
import { KnowledgeEntry, KnowledgeScope, knowledgeStream, Learning } from '../../schema/coordination/knowledge.ts';
import { crashpoint } from '../../world.ts';
import { projectOf } from '../find-run.ts';
import { operation } from '../operation.ts';
import { findEntry } from './find-entries.ts';

/** Without defaults: what is not given stays as it is. */
const Changes = Learning.extend({ scope: KnowledgeScope, tags: Learning.shape.tags.unwrap() }).partial();

/** Adds an entry of a person, or changes one; this also keeps a learning that was discarded or waits for approval. */
export const editKnowledge = operation({
  name: 'edit-knowledge',
  where: 'anywhere',
  summary: 'Add an entry to the knowledge of a project, or change one; scope everywhere approves it for all projects',
  http: 'POST /api/knowledge',
  allow: ['operator'],
  reserved: ({ scope }) => (scope === 'everywhere' ? 'letting an entry count in all projects' : undefined),
  input: Changes.extend({
    dir: z.string(),
    id: z.string().max(200).optional().describe('Without it, an entry is added.'),
  }),
  output: KnowledgeEntry,
  run: async (app, { dir, id, ...changes }, { origin }) => {
    const project = await projectOf(app, dir);
    const before = id === undefined ? undefined : await findEntry(app, { project: project.id, id });
    const { title, text, tags = [], scope = 'project' } = { ...before?.entry, ...defined(changes) };
    if (title === undefined || text === undefined)
      throw new AppError('INPUT_INVALID', 'A new entry needs a title and a text');
    const from = before?.entry.origin ?? null;
    const entry = {
      id: before?.entry.id ?? app.world.runId(),
      title,
      text,
      tags,
      scope,
      ...(from === null ? {} : { origin: from }),
    };
    const stream = knowledgeStream(scope, project.id);
    crashpoint('knowledge.writing');
    const { entries } = await app.knowledge.ledgers.update(stream, (state) => writeEntry(state, entry), origin);
    if (before !== undefined && before.stream !== stream) await remove(app, before.stream, { id: entry.id, origin });
    crashpoint('knowledge.written');
    const written = entries[entry.id];
    if (written === undefined) throw new AppError('INTERNAL', `Entry ${entry.id} was not written`);
    return written;
  },
});

/** Removes an entry from a stream. */
export async function remove(app: App, stream: string, { id, origin }: { id: string; origin: Origin }): Promise<void> {
  await app.knowledge.ledgers.update(stream, () => removeEntry(id), origin);
}

function defined<T extends object>(changes: T): Partial<T> {
  // The entries of an object without those that are undefined are a part of it.
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Partial<T>;
}
