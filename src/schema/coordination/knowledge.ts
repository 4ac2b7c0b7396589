import { z } from 'zod';

/** Where an entry counts: in its project, or in all projects of the data directory. */
export const KnowledgeScope = z.enum(['project', 'everywhere']);
export type KnowledgeScope = z.infer<typeof KnowledgeScope>;

const Tag = z.string().trim().min(1).max(40);

/** What an agent learned, or a person wrote down. */
export const Learning = z.object({
  title: z.string().trim().min(3).max(200).describe('What it is about, in one line.'),
  text: z.string().trim().min(20).max(4_000).describe('The fact, with what makes it useful to the next agent.'),
  tags: z.array(Tag).max(10).default([]),
});
export type Learning = z.infer<typeof Learning>;

/** The attempt that an entry comes from, with its run and the commit that its work became; null: a person wrote it. */
const EntryOrigin = z.object({ run: z.string(), attempt: z.string(), commit: z.string().nullable() }).nullable();

/** `proposed` waits for the end of its run, `waiting` for a person who lets it count everywhere; `kept` is given to agents. */
export const EntryStatus = z.enum(['proposed', 'kept', 'waiting', 'discarded', 'superseded']);

/** An entry as people see it. */
export const KnowledgeEntry = Learning.extend({
  id: z.string(),
  scope: KnowledgeScope,
  status: EntryStatus,
  reason: z.string().nullable().describe('Why it was discarded, or what superseded it.'),
  origin: EntryOrigin,
  at: z.number(),
});
export type KnowledgeEntry = z.infer<typeof KnowledgeEntry>;

/** What happens to the knowledge of one scope. */
export const KnowledgeEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('knowledge.proposed'),
    data: Learning.extend({ id: z.string(), scope: KnowledgeScope, run: z.string(), attempt: z.string() }),
  }),
  z.object({
    type: z.literal('knowledge.triaged'),
    data: z.object({
      id: z.string(),
      status: EntryStatus.exclude(['proposed']),
      reason: z.string().nullable(),
      commit: z.string().nullable(),
    }),
  }),
  z.object({
    type: z.literal('knowledge.written'),
    /** `origin` is that of a learning that moves to another scope. */
    data: Learning.extend({ id: z.string(), scope: KnowledgeScope, origin: EntryOrigin.optional() }),
  }),
  z.object({ type: z.literal('knowledge.removed'), data: z.object({ id: z.string() }) }),
  z.object({
    type: z.literal('knowledge.given'),
    data: z.object({ run: z.string(), task: z.string(), attempt: z.string(), entries: z.array(z.string()) }),
  }),
]);
export type KnowledgeEvent = z.infer<typeof KnowledgeEvent>;

/** The stream of the knowledge of a scope. */
export function knowledgeStream(scope: KnowledgeScope, project: string): string {
  return scope === 'project' ? `knowledge/project/${project}` : 'knowledge/all';
}
