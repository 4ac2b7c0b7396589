import { z } from 'zod';
import { EntryStatus, KnowledgeEntry } from '../../schema/coordination/knowledge.ts';
import { projectOf } from '../find-run.ts';
import { operation } from '../operation.ts';
import { findEntries } from './find-entries.ts';

/** Lists or searches the knowledge of a project and of all projects. */
export const listKnowledge = operation({
  name: 'list-knowledge',
  where: 'anywhere',
  summary: 'List or search what agents learned and people noted about a project',
  http: 'GET /api/knowledge',
  allow: ['viewer', 'operator'],
  input: z.object({
    dir: z.string(),
    query: z.string().trim().min(1).max(1_000).optional().describe('Only kept entries that match, the best first.'),
    status: z.array(EntryStatus).optional().describe('Only entries with one of these; without a query all are listed.'),
  }),
  output: z.array(KnowledgeEntry),
  run: async (app, { dir, query, status }) => {
    const { id } = await projectOf(app, dir);
    const found = await findEntries(app, { project: id, query });
    return found.filter((entry) => status === undefined || status.includes(entry.status));
  },
});
